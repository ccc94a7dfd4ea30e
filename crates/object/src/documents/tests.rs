mod stage;
mod putting;
mod purging;
