//! What a run has used.

use std::collections::BTreeMap;

use crate::json::{Object, Value};
use crate::snapshot::fault::Fault;
use crate::snapshot::fields::{Fields, Names, count};

/// Measurements by name, each at most 2^63 - 1; none for one that is not known.
pub type Measured = BTreeMap<String, Option<u64>>;

/// What a run has used: in all, and operation by operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageLedger {
    /// The sum over the records; not known where one of them is not.
    pub totals: Measured,
    /// How many calls of tools were begun.
    pub tool_calls: u64,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
    /// The operations in their order.
    pub records: Vec<UsageRecord>,
}

/// What one operation used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageRecord {
    /// What it was.
    pub operation: String,
    /// What was measured; what is not named was not used.
    pub measured: Measured,
}

impl UsageLedger {
    /// Adds up the records; none where a sum is beyond 2^63 - 1.
    pub fn sum(&self) -> Option<Measured> {
        let mut totals = Measured::new();
        for (name, used) in self.records.iter().flat_map(|record| &record.measured) {
            let total = totals.entry(name.clone()).or_insert(Some(0));
            *total = match (*total, used) {
                (Some(total), Some(used)) => {
                    Some(total.checked_add(*used).filter(|it| i64::try_from(*it).is_ok())?)
                }
                _ => None,
            };
        }
        Some(totals)
    }

    pub(super) fn read(value: &Value, place: &str) -> Result<Self, Fault> {
        let required = &["totals", "tool_calls", "elapsed_ms", "records"];
        let fields = Fields::of(value, place, Names { required, optional: &[] })?;
        Ok(Self {
            totals: measured(fields.value("totals")?, &fields.at("totals"))?,
            tool_calls: fields.count("tool_calls")?,
            elapsed_ms: fields.count("elapsed_ms")?,
            records: fields.each("records", UsageRecord::read)?,
        })
    }

    pub(super) fn write(&self) -> Value {
        let records = self.records.iter().map(|record| {
            Object::default()
                .with("operation", record.operation.as_str())
                .with("measured", written(&record.measured))
                .into()
        });
        Object::default()
            .with("totals", written(&self.totals))
            .with("tool_calls", self.tool_calls)
            .with("elapsed_ms", self.elapsed_ms)
            .with("records", Value::Array(records.collect()))
            .into()
    }
}

impl UsageRecord {
    fn read(value: &Value, place: &str) -> Result<Self, Fault> {
        let names = Names { required: &["operation", "measured"], optional: &[] };
        let fields = Fields::of(value, place, names)?;
        Ok(Self {
            operation: fields.name("operation")?,
            measured: measured(fields.value("measured")?, &fields.at("measured"))?,
        })
    }
}

fn measured(value: &Value, place: &str) -> Result<Measured, Fault> {
    let object = value.as_object();
    let object = object.ok_or_else(|| Fault::new(format!("{place} is not an object")))?;
    let members = object.iter().map(|(name, value)| {
        let used = match value {
            Value::Null => Some(None),
            value => count(value).map(Some),
        };
        let name = name.as_str().map(str::to_owned);
        name.zip(used).ok_or_else(|| {
            let what = "is not a name and an integer from 0 to 2^63 - 1, or null";
            Fault::new(format!("a measurement of {place} {what}"))
        })
    });
    members.collect()
}

fn written(measured: &Measured) -> Value {
    let members = measured
        .iter()
        .map(|(name, used)| (name.as_str().into(), used.map_or(Value::Null, Value::from)));
    // The names of a map differ.
    Object::of(members.collect()).unwrap_or_default().into()
}
