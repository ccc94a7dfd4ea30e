//! Durable sessions for AI agents.
