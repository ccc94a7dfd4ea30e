//! What tests of object storage share: real servers, and a proxy that makes faults on the way.

pub(crate) mod servers;
pub(crate) mod http;
pub(crate) mod proxy;
