//! What a run has used.

use std::collections::BTreeMap;

use crate::json::{Object, Value};
use crate::snapshot::fault::Fault;
use crate::snapshot::fields::{Fields, Names, count};

/// Measurements by name, each at most 2^63 - 1; none for one that is not known.
///
/// # Examples
/// ```
/// use sessile_interchange::snapshot::runtime::Measured;
///
/// // A model that did not say how many tokens it used has not used none.
/// let measured = Measured::from([("calls".into(), Some(1)), ("tokens".into(), None)]);
/// assert_eq!(measured.get("calls"), Some(&Some(1)));
/// assert_eq!(measured.get("tokens"), Some(&None));
/// assert_eq!(measured.get("images"), None);
/// ```
pub type Measured = BTreeMap<String, Option<u64>>;

/// What a run has used: in all, and operation by operation.
///
/// # Examples
/// ```
/// use sessile_interchange::snapshot::runtime::{Measured, UsageLedger, UsageRecord};
///
/// let record = |tokens| UsageRecord {
///     operation: "turn".into(),
///     measured: Measured::from([("tokens".into(), tokens)]),
/// };
/// let records = vec![record(Some(40)), record(Some(2))];
/// let ledger = UsageLedger { records, ..UsageLedger::default() };
/// assert_eq!(ledger.sum(), Some(Measured::from([("tokens".into(), Some(42))])));
/// // Where one is not known, neither is the sum.
/// let ledger = UsageLedger { records: vec![record(Some(40)), record(None)], ..ledger };
/// assert_eq!(ledger.sum(), Some(Measured::from([("tokens".into(), None)])));
/// ```
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
///
/// # Examples
/// ```
/// use sessile_core::ErrorKind;
/// use sessile_interchange::json;
/// use sessile_interchange::snapshot::runtime::{Measured, Runtime, Terms, UsageRecord};
///
/// # let saved = sessile_interchange::json::parse(
/// #     r#"{"run_id":"r1","turn_id":3,"next_call":5,"next_event":9,"started":true,"contract":{},
/// #     "active":{"agent":"clerk","purpose":"answer","base_prompt":"Be brief.","state":{"calls":[
/// #     {"name":"mail","arguments":{"to":"ida"}}],"results":[]},"needs_fit":false,
/// #     "overflow_retry":false},"approved":false,"loaded_skills":[],"context_cache":{},
/// #     "usage":{"totals":{},"tool_calls":0,"elapsed_ms":0,"records":[]}}"#,
/// # )?;
/// # let mut runtime = Runtime::decode(saved.as_object().expect("an object"))?;
/// let measured = Measured::from([("tokens".into(), Some(40))]);
/// let record = UsageRecord { operation: "turn".into(), measured: measured.clone() };
/// runtime.usage.records.push(record);
/// let contract = json::parse("{}")?;
/// let terms = Terms { contract: &contract, agents: &["clerk"], skills: &[] };
/// // What is recorded and the totals must say the same.
/// assert_eq!(runtime.restore(&terms).unwrap_err().kind(), ErrorKind::Corrupt);
/// runtime.usage.totals = measured;
/// runtime.restore(&terms)?;
/// # Ok::<(), sessile_core::Error>(())
/// ```
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
