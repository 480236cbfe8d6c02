//! The life of one call: approval, its turn, its arguments, its time limit.
//!
//! Invariants: the steps are reported in order and exactly once; nothing a tool or an approval does (hang,
//! panic, answer with too much) ends anything but its call.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};
use toolweir_protocols::ToolSet;
use toolweir_rjson::Mode;
use toolweir_schema_coerce::Policy;

use crate::approval::{Approval, Decision};
use crate::caught::caught;
use crate::config::{ArgumentCheck, CallLimits};
use crate::error::ToolFailure;
use crate::executor::Executor;
use crate::item::{ExecutedTool, HostCall, Lifecycle, Refusal, Stage};
use crate::output::ToolOutput;
use crate::record::{Recorder, length, millis};

/// What a call says about itself.
pub(crate) enum Report {
    /// A step.
    Step(Lifecycle),
    /// It will not run. The last of its reports.
    Refused(HostCall, Refusal),
    /// It ran. The permit goes when the result has been handed over, so that results that nobody takes are
    /// no more than calls that may run at once. The last of its reports.
    Executed(ExecutedTool, OwnedSemaphorePermit),
}

/// Runs the calls of one host.
pub(crate) struct Runner {
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) approval: Arc<dyn Approval>,
    pub(crate) tools: ToolSet,
    pub(crate) limits: CallLimits,
    pub(crate) recorder: Option<Recorder>,
}

/// The turns of one answer's calls.
#[derive(Clone)]
pub(crate) struct Turns {
    permits: Arc<Semaphore>,
    running: Arc<AtomicU64>,
    most: Arc<AtomicU64>,
}

impl Turns {
    pub(crate) fn new(limits: &CallLimits) -> Self {
        let permits = limits.max_concurrent.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            permits: Arc::new(Semaphore::new(permits)),
            running: Arc::default(),
            most: Arc::default(),
        }
    }

    /// The most calls that ran at once.
    pub(crate) fn most(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }

    fn starts(&self) {
        let running = self.running.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        self.most.fetch_max(running, Ordering::Relaxed);
    }

    fn ends(&self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Runner {
    /// Lives one call's life. `refuse`: calls of this answer do not run.
    pub(crate) async fn run(
        self: Arc<Self>,
        call: HostCall,
        turns: Turns,
        refuse: Option<Refusal>,
        reports: UnboundedSender<Report>,
    ) {
        let step = |stage: Stage| {
            let step = Lifecycle { id: call.id.clone(), name: call.name.clone(), stage };
            // Nobody listens any more: the call is being dropped.
            let _ = reports.send(Report::Step(step));
        };
        step(Stage::Requested);
        if let Some(refusal) = self.refusal(&call, refuse).await {
            self.record_refusal(&call, &refusal);
            step(Stage::Refused(refusal.clone()));
            let _ = reports.send(Report::Refused(call.clone(), refusal));
            return;
        }
        step(Stage::Approved);
        let Ok(permit) = turns.permits.clone().acquire_owned().await else {
            return;
        };
        step(Stage::Executing);
        turns.starts();
        let begun = Instant::now();
        let (parameters, result) = self.execute(&call).await;
        let elapsed = begun.elapsed();
        turns.ends();
        self.record_execution(&call, &result, elapsed);
        step(Stage::Finished { elapsed, success: result.is_ok() });
        let executed = ExecutedTool {
            id: call.id.clone(),
            ordinal: call.ordinal,
            tool_name: call.name.clone(),
            parameters,
            result,
            elapsed,
        };
        let _ = reports.send(Report::Executed(executed, permit));
    }

    async fn refusal(&self, call: &HostCall, refuse: Option<Refusal>) -> Option<Refusal> {
        if !self.tools.contains(&call.name) {
            return Some(Refusal::Undeclared);
        }
        if refuse.is_some() {
            return refuse;
        }
        match caught(async { self.approval.decide(call).await }).await {
            Some(Decision::Approve) => None,
            Some(Decision::Refuse(reason)) => Some(Refusal::Denied(reason)),
            None => Some(Refusal::Denied("no decision could be made".into())),
        }
    }

    /// The arguments as sent, and what came of it.
    async fn execute(&self, call: &HostCall) -> (Arc<str>, Result<ToolOutput, ToolFailure>) {
        let parameters = match self.arguments(call) {
            Ok(parameters) => parameters,
            Err(failure) => return (call.arguments.clone(), Err(failure)),
        };
        let limit = self.limits.timeout;
        let running = caught(async { self.executor.call(&call.name, &parameters).await });
        let result = match timeout(limit, running).await {
            Ok(Some(result)) => self.measured(result),
            Ok(None) => Err(ToolFailure::Panicked),
            Err(_) => Err(ToolFailure::Timeout(limit)),
        };
        (parameters, result)
    }

    /// The result, if what the model would be shown of it is within the limit.
    fn measured(&self, result: Result<ToolOutput, ToolFailure>) -> Result<ToolOutput, ToolFailure> {
        let limit = self.limits.max_result_bytes;
        let bytes = match &result {
            Ok(output) => output.size(),
            Err(
                ToolFailure::Tool(said)
                | ToolFailure::Protocol { message: said, .. }
                | ToolFailure::Transport(said)
                | ToolFailure::Unsupported(said),
            ) => said.len(),
            Err(_) => 0,
        };
        if bytes > limit { Err(ToolFailure::TooLarge { bytes, limit }) } else { result }
    }

    /// The arguments made to fit the schema; the decoder has mostly done it, and then this is the text
    /// that was given.
    fn arguments(&self, call: &HostCall) -> Result<Arc<str>, ToolFailure> {
        if self.limits.arguments == ArgumentCheck::AsWritten {
            return Ok(call.arguments.clone());
        }
        let unfit = |what: String| ToolFailure::Arguments(what);
        let parsed = toolweir_rjson::parse(&call.arguments, Mode::Strict);
        let value = parsed.map_err(|error| unfit(error.to_string()))?.value;
        let Some(schema) = self.tools.schema(&call.name) else {
            return Ok(call.arguments.clone());
        };
        let fitted = schema.coerce(value, &Policy::default());
        let fitted = fitted.map_err(|error| unfit(error.to_string()))?;
        if fitted.changes.is_empty() {
            return Ok(call.arguments.clone());
        }
        Ok(toolweir_rjson::to_string(&fitted.value).into())
    }

    fn record_refusal(&self, call: &HostCall, refusal: &Refusal) {
        let Some(recorder) = &self.recorder else { return };
        let reason = match refusal {
            Refusal::Undeclared => "undeclared",
            Refusal::Denied(_) => "denied",
            Refusal::RoundLimit => "round_limit",
        };
        let mut line = recorder.line("tool_refused");
        line.text("id", &call.id).text("tool_name", &call.name).text("reason", reason).write();
    }

    fn record_execution(
        &self,
        call: &HostCall,
        result: &Result<ToolOutput, ToolFailure>,
        elapsed: Duration,
    ) {
        let Some(recorder) = &self.recorder else { return };
        let mut line = recorder.line("tool_execution");
        line.text("id", &call.id).text("tool_name", &call.name);
        line.number("execution_time_ms", millis(elapsed)).flag("success", result.is_ok());
        match result {
            Ok(output) => line.number("result_length", length(output.size())),
            Err(failure) => line.text("failure", failure.word()),
        };
        line.write();
    }
}
