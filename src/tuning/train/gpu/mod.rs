//! Learning on a device of OpenCL's: a GPU, or whatever else there is.
//!
//! - `kernels.cl`: what the device does in a step.
//! - `batch.rs`: what it needs for that from a batch.
//! - `opencl.rs`: how it is asked to.
//!
//! The network and what is remembered of its gradients stay on the device; the numbers come back when the network is measured and written. A batch is
//! prepared and brought while the device learns from the one before. The sums are those of the processor in another order, so that its networks
//! are others, though no worse; the same device with the same driver makes the same one each time.

mod batch;
mod opencl;
#[cfg(test)]
mod tests;

use std::ffi::CString;

pub use opencl::DeviceError;

use self::batch::{Batch, Entry, PARTS};
use self::opencl::{Argument, Buffer, Device, Event, Kernel};
use super::model::{CLIP, Model, NUMBERS, ROWS};
use super::optimiser::{DECAY, EPSILON, MOMENTUM, Step, TINY};
use super::trainer::{Learner, Lesson};
use crate::eval::nnue::{BUCKETS, HIDDEN, INPUTS};
use crate::tuning::TuningError;

/// Work items that share a sample, a power of two: every GPU can have as many in a group.
const LOOK_ITEMS: usize = 128;
/// Neurons that a group learns in a row, and work items that share the samples of each: as many as above, or twice.
const COLUMNS: usize = 32;
const LINES: usize = 8;
const _: () = assert!(HIDDEN.is_multiple_of(LOOK_ITEMS) && HIDDEN.is_multiple_of(COLUMNS));
const _: () = assert!(LOOK_ITEMS.is_power_of_two());

/// What a batch has on the device. There are two: one is filled while the other is learnt from.
struct Slot {
    lessons: Buffer<Entry>,
    rows: Buffer<u16>,
    starts: Buffer<u32>,
    entries: Buffer<u32>,
    errors: Buffer<f32>,
    /// How many samples are being learnt from, and that the kernels are done with it.
    running: Option<(usize, [Event; 3])>,
}

/// A network on a device, with all that its learning needs there.
pub(super) struct Gpu {
    device: Device,
    look: Kernel,
    learn: Kernel,
    learn_output_biases: Kernel,
    numbers: Buffer<f32>,
    /// What is remembered of the gradients, and of their squares.
    moments: [Buffer<f32>; 2],
    /// The parts of the gradient, and how the error of each sample grows with its output.
    parts: Buffer<f32>,
    slopes: Buffer<f32>,
    /// The next batch goes into the first.
    slots: [Slot; 2],
    /// The most samples of a batch.
    capacity: usize,
    batch: Batch,
    /// The squared errors since they were last asked for, as far as they have come back.
    errors: f64,
}

impl Gpu {
    /// Makes the best device ready for batches of up to `capacity` samples.
    ///
    /// # Errors
    /// When there is no device, or it cannot do that.
    pub(super) fn open(capacity: usize) -> Result<Self, DeviceError> {
        let device = Device::open()?;
        if !device.is_gpu {
            eprintln!("OpenCL knows no GPU here: {} is to learn, which --device cpu may do faster", device.name);
        }
        let program = device.compile(include_str!("kernels.cl"), &options())?;
        let [most_rows, most_entries] = Batch::most(capacity);
        let slot = || {
            Ok::<_, DeviceError>(Slot {
                lessons: device.buffer(capacity)?,
                rows: device.buffer(most_rows)?,
                starts: device.buffer(ROWS + 1)?,
                entries: device.buffer(most_entries)?,
                errors: device.buffer(capacity)?,
                running: None,
            })
        };
        Ok(Self {
            look: device.kernel(&program, c"look")?,
            learn: device.kernel(&program, c"learn")?,
            learn_output_biases: device.kernel(&program, c"learn_output_biases")?,
            numbers: device.buffer(NUMBERS)?,
            moments: [device.buffer(NUMBERS)?, device.buffer(NUMBERS)?],
            parts: device.buffer(capacity * PARTS * HIDDEN)?,
            slopes: device.buffer(capacity)?,
            slots: [slot()?, slot()?],
            capacity,
            batch: Batch::default(),
            errors: 0.0,
            device,
        })
    }

    /// The device, for those who want to make the network again.
    pub(super) fn name(&self) -> &str {
        &self.device.name
    }

    /// Takes this network to begin with.
    pub(super) fn take(&mut self, model: &Model) -> Result<(), DeviceError> {
        self.device.finish()?;
        self.device.write(&self.numbers, &model.numbers())
    }

    /// Waits for the older of the batches, unless that has been waited for, and adds up its errors.
    fn settle(&mut self) -> Result<(), DeviceError> {
        let slot = &mut self.slots[0];
        if let Some((count, learnt)) = slot.running.take() {
            learnt.iter().try_for_each(|event| self.device.wait(event))?;
            let errors = self.device.read(&slot.errors, count)?;
            self.errors += errors.iter().map(|&error| f64::from(error).powi(2)).sum::<f64>();
        }
        Ok(())
    }

    /// Has the device learn from the batch in the first slot, when it has done with the one before.
    fn launch(&self, count: usize, step: Step) -> Result<[Event; 3], DeviceError> {
        let Slot { lessons, rows, starts, entries, errors, .. } = &self.slots[0];
        let [numbers, parts, slopes] = [&self.numbers, &self.parts, &self.slopes].map(Buffer::argument);
        let look = [numbers, lessons.argument(), rows.argument(), parts, slopes, errors.argument()];
        let [first, second] = self.moments.each_ref().map(Buffer::argument);
        let [share, rate] = [step.share, step.rate].map(Argument::Float);
        let [first_unbias, second_unbias] = step.unbias.map(Argument::Float);
        let (starts, entries) = (starts.argument(), entries.argument());
        let learn =
            |gradient| [numbers, first, second, gradient, starts, entries, share, rate, first_unbias, second_unbias];
        // SAFETY: there are as many lessons, no more than any of the buffers has room for, and `Batch` made their lists: rows that the network has,
        // an output that it has, entries that are parts of these lessons, and starts that are places among the entries. Nobody writes to them
        // before the event.
        unsafe {
            Ok([
                self.device.launch(&self.look, &look, [count, 1], [LOOK_ITEMS, 1])?,
                self.device.launch(&self.learn, &learn(parts), [HIDDEN / COLUMNS, ROWS], [COLUMNS, LINES])?,
                self.device.launch(&self.learn_output_biases, &learn(slopes), [BUCKETS, 1], [LOOK_ITEMS, 1])?,
            ])
        }
    }
}

impl Learner for Gpu {
    fn forget(&mut self) -> Result<(), TuningError> {
        // In the kernels' queue: after the steps that were made.
        Ok(self.moments.iter().try_for_each(|moments| self.device.clear(moments))?)
    }

    fn step(&mut self, batch: &[Lesson], step: Step) -> Result<(), TuningError> {
        assert!(batch.len() <= self.capacity, "{} samples, and room for {}", batch.len(), self.capacity);
        self.batch.fill(batch);
        self.settle()?;
        let slot = &self.slots[0];
        self.device.write(&slot.lessons, &self.batch.lessons)?;
        self.device.write(&slot.rows, &self.batch.rows)?;
        self.device.write(&slot.starts, &self.batch.starts)?;
        self.device.write(&slot.entries, &self.batch.entries)?;
        let learnt = self.launch(batch.len(), step)?;
        self.device.flush()?;
        self.slots[0].running = Some((batch.len(), learnt));
        self.slots.swap(0, 1);
        Ok(())
    }

    fn errors(&mut self) -> Result<f64, TuningError> {
        for _ in 0..self.slots.len() {
            self.settle()?;
            self.slots.swap(0, 1);
        }
        Ok(std::mem::take(&mut self.errors))
    }

    fn model(&mut self) -> Result<Model, TuningError> {
        self.device.finish()?;
        let numbers = self.device.read(&self.numbers, NUMBERS)?;
        // A device that fails need not say so, and the network that is there must not make way for nonsense.
        if !numbers.iter().all(|number| number.is_finite()) {
            return Err(DeviceError::Nonsense(self.device.name.clone()).into());
        }
        Ok(Model::from_numbers(&numbers))
    }
}

/// What the kernels are told when they are compiled: nothing that is known here is written there again.
fn options() -> CString {
    let sizes = [
        ("INPUTS", INPUTS),
        ("HIDDEN", HIDDEN),
        ("BUCKETS", BUCKETS),
        ("LOOK_ITEMS", LOOK_ITEMS),
        ("COLUMNS", COLUMNS),
        ("LINES", LINES),
    ];
    let numbers = [
        ("CLIP", CLIP),
        ("FIRST_MOMENTUM", MOMENTUM[0]),
        ("SECOND_MOMENTUM", MOMENTUM[1]),
        ("DECAY", DECAY),
        ("EPSILON", EPSILON),
        ("TINY", TINY),
    ];
    let sizes = sizes.map(|(name, size)| format!("-D {name}={size} ")).concat();
    let numbers = numbers.map(|(name, number)| format!("-D {name}={number:e}f ")).concat();
    CString::new(sizes + &numbers).unwrap_or_default()
}
