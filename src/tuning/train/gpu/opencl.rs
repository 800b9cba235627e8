//! OpenCL, as far as the trainer needs it. The library is loaded when somebody wants it, so that neither building Sesame nor playing with it asks
//! for any.
//!
//! What is read and written here is borrowed only while a call lasts: nothing that the host owns is in a device's hands afterwards. Kernels alone
//! run on their own.

use std::cmp::Reverse;
use std::ffi::{CStr, c_void};
use std::marker::PhantomData;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use dlopen2::raw::Library;
use opencl_sys::cl_function_types::*;
use opencl_sys::*;
use parking_lot::Mutex;

/// Why nothing can be learnt on a device.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// OpenCL's library is not there.
    #[error(
        "OpenCL cannot be loaded ({0}): a GPU needs its driver and OpenCL's loader (Debian: ocl-icd-libopencl1); --device cpu needs neither"
    )]
    NoLibrary(String),
    /// The library is there, and knows no device.
    #[error(
        "OpenCL knows no device here: the driver of the GPU is to bring what OpenCL needs; --device cpu does without"
    )]
    NoDevice,
    /// The kernels do not compile for the device.
    #[error("{device}: OpenCL's compiler refuses the kernels: {log}")]
    Kernels {
        /// The device.
        device: String,
        /// What the compiler says.
        log: String,
    },
    /// The device, or its driver, did not do what it was asked for.
    #[error("{device}: {call} failed: {}", reason(*code))]
    Call {
        /// The device; its platform where that is all that is known.
        device: String,
        /// The function of OpenCL.
        call: &'static str,
        /// The number of OpenCL's error.
        code: i32,
    },
    /// What came back from the device cannot be the numbers of a network.
    #[error("{0}: what it has computed is no network; what was written before stays")]
    Nonsense(String),
}

/// What the errors mean that a sound program can meet.
fn reason(code: cl_int) -> String {
    let meaning = match code {
        CL_DEVICE_NOT_AVAILABLE => "the device is not available",
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST => "it failed in the middle of a step",
        CL_COMPILER_NOT_AVAILABLE => "there is no compiler for it",
        CL_MEM_OBJECT_ALLOCATION_FAILURE | CL_OUT_OF_RESOURCES | CL_OUT_OF_HOST_MEMORY | CL_INVALID_BUFFER_SIZE => {
            "it lacks memory or other resources; a smaller --batch needs less"
        }
        CL_INVALID_WORK_GROUP_SIZE | CL_INVALID_WORK_ITEM_SIZE => "its work groups are too small for the kernels",
        _ => return format!("OpenCL's error {code}"),
    };
    format!("{meaning} (OpenCL's error {code})")
}

/// The type of a function that a library may lack, once it is known to be there.
trait Present {
    type Function;
}

impl<F> Present for Option<F> {
    type Function = F;
}

macro_rules! functions {
    ($($name:ident: $type:ty,)*) => {
        /// The functions of the library.
        #[allow(non_snake_case)]
        struct Functions {
            $($name: <$type as Present>::Function,)*
        }

        impl Functions {
            fn of(library: &Library) -> Result<Self, dlopen2::Error> {
                Ok(Self {
                    // SAFETY: OpenCL's standard says that the function of this name has this type. The library is never closed.
                    $($name: unsafe { library.symbol(stringify!($name)) }?,)*
                })
            }
        }
    };
}

functions! {
    clGetPlatformIDs: clGetPlatformIDs_t,
    clGetPlatformInfo: clGetPlatformInfo_t,
    clGetDeviceIDs: clGetDeviceIDs_t,
    clGetDeviceInfo: clGetDeviceInfo_t,
    clCreateContext: clCreateContext_t,
    clReleaseContext: clReleaseContext_t,
    clCreateCommandQueue: clCreateCommandQueue_t,
    clReleaseCommandQueue: clReleaseCommandQueue_t,
    clFlush: clFlush_t,
    clFinish: clFinish_t,
    clCreateBuffer: clCreateBuffer_t,
    clReleaseMemObject: clReleaseMemObject_t,
    clEnqueueFillBuffer: clEnqueueFillBuffer_t,
    clEnqueueReadBuffer: clEnqueueReadBuffer_t,
    clEnqueueWriteBuffer: clEnqueueWriteBuffer_t,
    clCreateProgramWithSource: clCreateProgramWithSource_t,
    clBuildProgram: clBuildProgram_t,
    clGetProgramBuildInfo: clGetProgramBuildInfo_t,
    clReleaseProgram: clReleaseProgram_t,
    clCreateKernel: clCreateKernel_t,
    clReleaseKernel: clReleaseKernel_t,
    clSetKernelArg: clSetKernelArg_t,
    clEnqueueNDRangeKernel: clEnqueueNDRangeKernel_t,
    clWaitForEvents: clWaitForEvents_t,
    clReleaseEvent: clReleaseEvent_t,
}

/// Loads the library, once. It stays: drivers do not take it well to be unloaded.
fn functions() -> Result<&'static Functions, DeviceError> {
    const NAMES: [&str; 2] = if cfg!(windows) {
        ["OpenCL.dll", "OpenCL"]
    } else if cfg!(target_os = "macos") {
        ["/System/Library/Frameworks/OpenCL.framework/OpenCL", "libOpenCL.dylib"]
    } else {
        ["libOpenCL.so.1", "libOpenCL.so"]
    };
    static LOADED: OnceLock<Result<(Functions, Library), String>> = OnceLock::new();
    let load = || {
        let open = |name: &str| {
            let opened = Library::open(name).and_then(|library| Ok((Functions::of(&library)?, library)));
            opened.map_err(|error| error.to_string())
        };
        let [usual, other] = NAMES;
        open(usual).or_else(|problem| open(other).map_err(|_| problem))
    };
    match LOADED.get_or_init(load) {
        Ok((functions, _)) => Ok(functions),
        Err(problem) => Err(DeviceError::NoLibrary(problem.clone())),
    }
}

/// Something of OpenCL's that is given back in the end.
pub(super) struct Handle {
    raw: *mut c_void,
    release: unsafe extern "C" fn(*mut c_void) -> cl_int,
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: it was made by OpenCL, for the function that releases its kind, and this was its only owner. What still needs it on the device
        // keeps it. A device that has failed may refuse, which changes nothing any more.
        unsafe { (self.release)(self.raw) };
    }
}

/// What may be copied to a device and back as bytes.
///
/// # Safety
/// The type has no padding, and any bytes make a valid value.
pub(super) unsafe trait Plain: Copy + Default {}

// SAFETY: a number.
unsafe impl Plain for f32 {}
// SAFETY: a number.
unsafe impl Plain for u16 {}
// SAFETY: a number.
unsafe impl Plain for u32 {}

/// What makes one device better than another, the most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Merits {
    is_gpu: bool,
    /// Memory of its own, as GPUs have that are no part of a processor.
    has_own_memory: bool,
    memory: u64,
}

/// A device that can be had.
struct Found {
    id: cl_device_id,
    name: String,
    merits: Merits,
}

/// Every device of every driver.
fn devices(functions: &Functions) -> Result<Vec<Found>, DeviceError> {
    let mut count = 0;
    // SAFETY: it writes one number, or as many handles as it is told that there is room for.
    let found = unsafe { (functions.clGetPlatformIDs)(0, null_mut(), &raw mut count) };
    let mut platforms = vec![null_mut(); count as usize];
    if found == CL_PLATFORM_NOT_FOUND_KHR || count == 0 {
        return Err(DeviceError::NoDevice);
    }
    // SAFETY: as above.
    let code = unsafe { (functions.clGetPlatformIDs)(count, platforms.as_mut_ptr(), null_mut()) };
    if code != CL_SUCCESS {
        return Err(DeviceError::Call { device: "OpenCL".to_owned(), call: "clGetPlatformIDs", code });
    }
    Ok(platforms.into_iter().flat_map(|platform| devices_of(functions, platform)).collect())
}

/// The devices of one driver; none where it fails, as another may not.
fn devices_of(functions: &Functions, platform: cl_platform_id) -> Vec<Found> {
    let mut count = 0;
    // SAFETY: the platform comes from OpenCL; it writes one number, or as many handles as it is told that there is room for.
    unsafe { (functions.clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 0, null_mut(), &raw mut count) };
    let mut ids = vec![null_mut(); count as usize];
    // SAFETY: as above.
    let code = unsafe { (functions.clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, count, ids.as_mut_ptr(), null_mut()) };
    if code != CL_SUCCESS {
        return Vec::new();
    }
    let platform = text(|size, value, length| {
        // SAFETY: it writes no more than `size` bytes to `value`, and one number to `length` unless that is null.
        unsafe { (functions.clGetPlatformInfo)(platform, CL_PLATFORM_NAME, size, value, length) }
    });
    let device = |&id: &cl_device_id| {
        let number = |what| {
            let mut value = 0_u64;
            // Some of these are 32 bits long: the low half, as all devices and hosts of today are little-endian.
            // SAFETY: it writes no more than 8 bytes to `value`.
            unsafe { (functions.clGetDeviceInfo)(id, what, size_of::<u64>(), (&raw mut value).cast(), null_mut()) };
            value
        };
        let words = |what| {
            text(|size, value, length| {
                // SAFETY: it writes no more than `size` bytes to `value`, and one number to `length` unless that is null.
                unsafe { (functions.clGetDeviceInfo)(id, what, size, value, length) }
            })
        };
        let usable = number(CL_DEVICE_AVAILABLE) != 0 && number(CL_DEVICE_COMPILER_AVAILABLE) != 0;
        let merits = Merits {
            is_gpu: number(CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU != 0,
            has_own_memory: number(CL_DEVICE_HOST_UNIFIED_MEMORY) == 0,
            memory: number(CL_DEVICE_GLOBAL_MEM_SIZE),
        };
        let name = format!("{} ({platform}, driver {})", words(CL_DEVICE_NAME), words(CL_DRIVER_VERSION));
        usable.then_some(Found { id, name, merits })
    };
    ids.iter().filter_map(device).collect()
}

/// What a function of OpenCL says; it is told how much room there is, and tells how much it needs.
fn text(ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> String {
    let mut length = 0;
    if ask(0, null_mut(), &raw mut length) != CL_SUCCESS {
        return String::new();
    }
    let mut bytes = vec![0_u8; length];
    if ask(length, bytes.as_mut_ptr().cast(), null_mut()) != CL_SUCCESS {
        return String::new();
    }
    String::from_utf8_lossy(&bytes).trim_matches(|letter: char| letter == '\0' || letter.is_whitespace()).to_owned()
}

/// A device that is ready to work.
pub(super) struct Device {
    functions: &'static Functions,
    /// Its name, with that of its driver.
    pub(super) name: String,
    pub(super) is_gpu: bool,
    id: cl_device_id,
    /// Kernels, one after the other.
    kernels: Handle,
    /// Copies, beside them: what a batch needs is brought while the one before it is learnt from.
    copies: Handle,
    context: Handle,
}

impl Device {
    /// The best device there is: a GPU if any.
    pub(super) fn open() -> Result<Self, DeviceError> {
        // One at a time: a driver makes itself ready when it is first asked, and pocl fails when two ask at once.
        static OPENING: Mutex<()> = Mutex::new(());
        let _opening = OPENING.lock();
        let functions = functions()?;
        let found = devices(functions)?.into_iter().min_by_key(|device| Reverse(device.merits));
        let Found { id, name, merits } = found.ok_or(DeviceError::NoDevice)?;
        // SAFETY: one device, which is there; no properties, and nobody to call back.
        let context = made(&name, "clCreateContext", functions.clReleaseContext, |code| unsafe {
            (functions.clCreateContext)(null(), 1, &raw const id, None, null_mut(), code)
        })?;
        let queue = || {
            // SAFETY: context and device belong together. Without properties a queue keeps the order of what it is given.
            made(&name, "clCreateCommandQueue", functions.clReleaseCommandQueue, |code| unsafe {
                (functions.clCreateCommandQueue)(context.raw, id, 0, code)
            })
        };
        let (kernels, copies) = (queue()?, queue()?);
        Ok(Self { functions, name, is_gpu: merits.is_gpu, id, kernels, copies, context })
    }

    fn check(&self, call: &'static str, code: cl_int) -> Result<(), DeviceError> {
        checked(&self.name, call, code)
    }

    /// Room for `length` numbers, all 0. That they are written shows at once whether the memory is there: some drivers only look when it is used.
    pub(super) fn buffer<T: Plain>(&self, length: usize) -> Result<Buffer<T>, DeviceError> {
        // SAFETY: it belongs to this context, and nothing of the host's is used.
        let handle = made(&self.name, "clCreateBuffer", self.functions.clReleaseMemObject, |code| unsafe {
            let size = length * size_of::<T>();
            (self.functions.clCreateBuffer)(self.context.raw, CL_MEM_READ_WRITE, size, null_mut(), code)
        })?;
        let buffer = Buffer { handle, length, holds: PhantomData };
        self.clear(&buffer)?;
        self.finish()?;
        Ok(buffer)
    }

    /// Fills it with 0, when the kernels before have run.
    pub(super) fn clear<T: Plain>(&self, buffer: &Buffer<T>) -> Result<(), DeviceError> {
        let zero = T::default();
        let (pattern, size) = ((&raw const zero).cast(), size_of::<T>());
        // SAFETY: the buffer is as long; the pattern is copied before the call returns.
        let code = unsafe {
            let fill = self.functions.clEnqueueFillBuffer;
            fill(self.kernels.raw, buffer.handle.raw, pattern, size, 0, buffer.length * size, 0, null(), null_mut())
        };
        self.check("clEnqueueFillBuffer", code)
    }

    /// Copies these numbers to the beginning of a buffer, and waits for that.
    pub(super) fn write<T: Plain>(&self, buffer: &Buffer<T>, numbers: &[T]) -> Result<(), DeviceError> {
        assert!(numbers.len() <= buffer.length, "{} numbers do not go into {}", numbers.len(), buffer.length);
        if numbers.is_empty() {
            return Ok(());
        }
        let (from, size) = (numbers.as_ptr().cast(), size_of_val(numbers));
        // SAFETY: both are as long, as was just seen, and the call returns when all is copied.
        let code = unsafe {
            let write = self.functions.clEnqueueWriteBuffer;
            write(self.copies.raw, buffer.handle.raw, CL_BLOCKING, 0, size, from, 0, null(), null_mut())
        };
        self.check("clEnqueueWriteBuffer", code)
    }

    /// Copies the first `count` numbers of a buffer from the device, and waits for that, though not for kernels.
    pub(super) fn read<T: Plain>(&self, buffer: &Buffer<T>, count: usize) -> Result<Vec<T>, DeviceError> {
        assert!(count <= buffer.length, "there are not {count} numbers but {}", buffer.length);
        let mut numbers = vec![T::default(); count];
        if count == 0 {
            return Ok(numbers);
        }
        let (to, size) = (numbers.as_mut_ptr().cast(), size_of_val(numbers.as_slice()));
        // SAFETY: both are as long, as was just seen; the call returns when all is copied, and any bytes are valid.
        let code = unsafe {
            let read = self.functions.clEnqueueReadBuffer;
            read(self.copies.raw, buffer.handle.raw, CL_BLOCKING, 0, size, to, 0, null(), null_mut())
        };
        self.check("clEnqueueReadBuffer", code)?;
        Ok(numbers)
    }

    /// Compiles kernels for the device.
    pub(super) fn compile(&self, source: &str, options: &CStr) -> Result<Program, DeviceError> {
        let (mut start, length) = (source.as_ptr().cast(), source.len());
        // SAFETY: one text of that length, which is copied.
        let program = made(&self.name, "clCreateProgramWithSource", self.functions.clReleaseProgram, |code| unsafe {
            let create = self.functions.clCreateProgramWithSource;
            create(self.context.raw, 1, &raw mut start, &raw const length, code)
        })?;
        // SAFETY: the program belongs to the device's context, and the options end in 0. Without a function to call back it returns when all is done.
        let code = unsafe {
            (self.functions.clBuildProgram)(program.raw, 1, &raw const self.id, options.as_ptr(), None, null_mut())
        };
        if code == CL_BUILD_PROGRAM_FAILURE {
            let log = text(|size, value, length| {
                let tell = self.functions.clGetProgramBuildInfo;
                // SAFETY: it writes no more than `size` bytes to `value`, and one number to `length` unless that is null.
                unsafe { tell(program.raw, self.id, CL_PROGRAM_BUILD_LOG, size, value, length) }
            });
            return Err(DeviceError::Kernels { device: self.name.clone(), log });
        }
        self.check("clBuildProgram", code)?;
        Ok(Program(program))
    }

    /// The kernel of this name.
    pub(super) fn kernel(&self, program: &Program, name: &CStr) -> Result<Kernel, DeviceError> {
        // SAFETY: the program has been compiled, and the name ends in 0.
        let kernel = made(&self.name, "clCreateKernel", self.functions.clReleaseKernel, |code| unsafe {
            (self.functions.clCreateKernel)(program.0.raw, name.as_ptr(), code)
        })?;
        Ok(Kernel(kernel))
    }

    /// Has a kernel run by so many groups of so many work items, when those before it have run. The event is that it has.
    ///
    /// # Safety
    /// With these arguments the kernel must stay within its buffers.
    pub(super) unsafe fn launch(
        &self,
        kernel: &Kernel,
        arguments: &[Argument],
        groups: [usize; 2],
        group: [usize; 2],
    ) -> Result<Event, DeviceError> {
        for (argument, index) in arguments.iter().zip(0..) {
            let (size, value) = match argument {
                Argument::Buffer(handle) => (size_of::<cl_mem>(), (&raw const handle.raw).cast()),
                Argument::Float(number) => (size_of::<f32>(), (&raw const *number).cast()),
            };
            // SAFETY: the value is as long, and copied. OpenCL refuses it where the kernel's argument is of another size.
            let code = unsafe { (self.functions.clSetKernelArg)(kernel.0.raw, index, size, value) };
            self.check("clSetKernelArg", code)?;
        }
        let items = [groups[0] * group[0], groups[1] * group[1]];
        // SAFETY: two sizes each, read before it returns. OpenCL runs no kernel whose arguments are not all set, and keeps its buffers until it has
        // run; the caller says that it stays within them.
        let event = made(&self.name, "clEnqueueNDRangeKernel", self.functions.clReleaseEvent, |code| unsafe {
            let (launch, mut event) = (self.functions.clEnqueueNDRangeKernel, null_mut());
            *code = launch(
                self.kernels.raw,
                kernel.0.raw,
                2,
                null(),
                items.as_ptr(),
                group.as_ptr(),
                0,
                null(),
                &raw mut event,
            );
            event
        })?;
        Ok(Event(event))
    }

    /// Has the kernels begin that were launched.
    pub(super) fn flush(&self) -> Result<(), DeviceError> {
        // SAFETY: the queue is this device's.
        self.check("clFlush", unsafe { (self.functions.clFlush)(self.kernels.raw) })
    }

    /// Waits for an event.
    pub(super) fn wait(&self, event: &Event) -> Result<(), DeviceError> {
        // SAFETY: one event, which is there.
        self.check("clWaitForEvents", unsafe { (self.functions.clWaitForEvents)(1, &raw const event.0.raw) })
    }

    /// Waits for all kernels.
    pub(super) fn finish(&self) -> Result<(), DeviceError> {
        // SAFETY: the queue is this device's.
        self.check("clFinish", unsafe { (self.functions.clFinish)(self.kernels.raw) })
    }
}

/// Room for numbers on a device.
pub(super) struct Buffer<T> {
    handle: Handle,
    length: usize,
    holds: PhantomData<T>,
}

impl<T> Buffer<T> {
    /// As an argument of a kernel.
    pub(super) fn argument(&self) -> Argument<'_> {
        Argument::Buffer(&self.handle)
    }
}

/// What a kernel is called with.
#[derive(Clone, Copy)]
pub(super) enum Argument<'a> {
    Buffer(&'a Handle),
    Float(f32),
}

/// Kernels, compiled.
pub(super) struct Program(Handle);

/// A function that runs on a device.
pub(super) struct Kernel(Handle);

/// That a kernel has run.
pub(super) struct Event(Handle);

fn checked(device: &str, call: &'static str, code: cl_int) -> Result<(), DeviceError> {
    if code == CL_SUCCESS { Ok(()) } else { Err(DeviceError::Call { device: device.to_owned(), call, code }) }
}

/// What `make` makes, unless it tells of an error.
fn made(
    device: &str,
    call: &'static str,
    release: unsafe extern "C" fn(*mut c_void) -> cl_int,
    make: impl FnOnce(&mut cl_int) -> *mut c_void,
) -> Result<Handle, DeviceError> {
    let mut code = CL_SUCCESS;
    let raw = make(&mut code);
    checked(device, call, code)?;
    Ok(Handle { raw, release })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_better_than_a_processor_and_one_of_its_own_than_a_part_of_one() {
        let [processor, part, card] = [(false, false, 64), (true, false, 32), (true, true, 8)]
            .map(|(is_gpu, has_own_memory, memory)| Merits { is_gpu, has_own_memory, memory });
        assert!(processor < part && part < card && card < Merits { memory: 9, ..card });
    }
}
