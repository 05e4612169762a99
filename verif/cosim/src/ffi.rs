//! The border: the only place that touches a verilated model's memory.
//!
//! A model is a shared library with the C functions of `shim.cpp`. An [`Instance`] owns one
//! simulated object; a [`PortCell`] is the address of one of its ports, taken once, together with a
//! share in the instance, so that the address outlives no object. Setting or reading a port is a
//! plain store or load; only [`Instance::eval`] calls across the border.
//!
//! Three facts make this sound, and everything below rests on them:
//!
//! 1. *Addresses stay.* Verilator keeps ports as members of a heap object that never moves.
//! 2. *One thread.* Both types hold `Rc` or raw pointers, so neither can leave its thread, and a
//!    model runs only inside a call from that thread. No access can race.
//! 3. *No references.* Ports are read and written through raw pointers, each access complete in
//!    itself, so the model may change them between any two.
#![allow(unsafe_code)] // a verilated model is C++ behind a C interface: there is no safe way in

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::{self, NonNull};
use std::rc::Rc;
use std::sync::Arc;

use libloading::Library;

use crate::Error;

/// Raised with any change of the C functions or of the way a model is built.
pub(crate) const BRIDGE_VERSION: u32 = 2;

/// The C++ side.
pub(crate) const SHIM: &str = include_str!("shim.cpp");

/// An opaque `Instance*` of the shim.
type Handle = *mut c_void;

/// The C functions of a loaded model.
pub(crate) struct Api {
    new: unsafe extern "C" fn(c_int) -> Handle,
    delete: unsafe extern "C" fn(Handle),
    enter: unsafe extern "C" fn(Handle),
    port: unsafe extern "C" fn(Handle, u32) -> *mut c_void,
    eval: unsafe extern "C" fn(Handle, u64) -> c_int,
    text: unsafe extern "C" fn(Handle, c_int) -> *const c_char,
    clear_output: unsafe extern "C" fn(Handle),
    open_wave: unsafe extern "C" fn(Handle, *const c_char) -> c_int,
    dump_wave: unsafe extern "C" fn(Handle, u64),
    close_wave: unsafe extern "C" fn(Handle),
    write_coverage: unsafe extern "C" fn(Handle, *const c_char) -> c_int,
    finish: unsafe extern "C" fn(Handle) -> c_int,
    /// Keeps the code of the functions above in memory; dropped after them.
    _library: Library,
}

impl Api {
    /// Loads a model built by this bridge.
    pub(crate) fn load(path: &Path) -> Result<Self, Error> {
        let fail = |cause| Error::Load { path: path.to_path_buf(), cause };
        // SAFETY: the library is the one this bridge built for this path; its initializers are
        // those of the Verilator runtime and have no preconditions.
        let library = unsafe { Library::new(path) }.map_err(fail)?;
        // SAFETY: each symbol has the type written in `shim.cpp`, which is part of the content hash
        // in the path; the copies of the pointers live no longer than `_library`, beside them.
        unsafe {
            Ok(Self {
                new: *library.get(b"cosim_new\0").map_err(fail)?,
                delete: *library.get(b"cosim_delete\0").map_err(fail)?,
                enter: *library.get(b"cosim_enter\0").map_err(fail)?,
                port: *library.get(b"cosim_port\0").map_err(fail)?,
                eval: *library.get(b"cosim_eval\0").map_err(fail)?,
                text: *library.get(b"cosim_text\0").map_err(fail)?,
                clear_output: *library.get(b"cosim_clear_output\0").map_err(fail)?,
                open_wave: *library.get(b"cosim_open_wave\0").map_err(fail)?,
                dump_wave: *library.get(b"cosim_dump_wave\0").map_err(fail)?,
                close_wave: *library.get(b"cosim_close_wave\0").map_err(fail)?,
                write_coverage: *library.get(b"cosim_write_coverage\0").map_err(fail)?,
                finish: *library.get(b"cosim_finish\0").map_err(fail)?,
                _library: library,
            })
        }
    }
}

/// What an evaluation came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// The model runs on.
    Running,
    /// `$finish`.
    Finished,
    /// `$stop`, a failed assertion, or an error of the simulator; [`Instance::message`] says which.
    Stopped,
}

impl Status {
    #[inline]
    fn of(code: c_int) -> Self {
        match code {
            0 => Status::Running,
            1 => Status::Finished,
            _ => Status::Stopped,
        }
    }
}

thread_local! {
    /// The object that this thread entered last, whichever model it is of.
    static ENTERED: Cell<Handle> = const { Cell::new(ptr::null_mut()) };
}

/// One simulated object.
pub(crate) struct Instance {
    handle: NonNull<c_void>,
    api: Arc<Api>,
}

impl Instance {
    /// Creates an object whose registers and memories start as `seed` says; `None` if memory is out.
    pub(crate) fn new(api: Arc<Api>, seed: i32) -> Option<Rc<Self>> {
        // SAFETY: the function has no preconditions.
        let handle = unsafe { (api.new)(seed) };
        ENTERED.set(handle);
        Some(Rc::new(Self { handle: NonNull::new(handle)?, api }))
    }

    /// The port with this place in the list the shim was generated from, `bits` wide.
    pub(crate) fn port(self: &Rc<Self>, index: u32, bits: u32) -> PortCell {
        // SAFETY: `handle` is live (dropped with `self`); the shim returns null beyond its list.
        let address = unsafe { (self.api.port)(self.handle.as_ptr(), index) };
        let address = NonNull::new(address).expect("the shim and the port list have one source");
        PortCell { at: address, bits, words: bits.div_ceil(32), owner: Rc::clone(self) }
    }

    /// The handle, as the object that this thread works with.
    #[inline]
    fn entered(&self) -> Handle {
        let handle = self.handle.as_ptr();
        if ENTERED.get() != handle {
            ENTERED.set(handle);
            // SAFETY: `handle` is live (dropped with `self`).
            unsafe { (self.api.enter)(handle) }
        }
        handle
    }

    /// Lets the model settle, at `time`.
    #[inline]
    pub(crate) fn eval(&self, time: u64) -> Status {
        // SAFETY: `handle` is live; C++ exceptions are caught by the shim.
        Status::of(unsafe { (self.api.eval)(self.entered(), time) })
    }

    /// Why the model stopped; empty while it runs.
    pub(crate) fn message(&self) -> String {
        self.text(0)
    }

    /// What the model printed since the last call.
    pub(crate) fn take_output(&self) -> String {
        let text = self.text(1);
        // SAFETY: `handle` is live.
        unsafe { (self.api.clear_output)(self.handle.as_ptr()) };
        text
    }

    fn text(&self, which: c_int) -> String {
        // SAFETY: `handle` is live; the shim returns a NUL-terminated string that stays until the
        // next call of the model, and it is copied at once.
        let text = unsafe { CStr::from_ptr((self.api.text)(self.handle.as_ptr(), which)) };
        text.to_string_lossy().into_owned()
    }

    /// Starts a wave file; false if the file cannot be written or the model has no waves.
    pub(crate) fn open_wave(&self, path: &Path) -> bool {
        let path = c_path(path);
        // SAFETY: `handle` is live; `path` is NUL-terminated and outlives the call.
        unsafe { (self.api.open_wave)(self.entered(), path.as_ptr()) == 0 }
    }

    /// Writes all signals into the wave, at `time`.
    #[cold]
    pub(crate) fn dump_wave(&self, time: u64) {
        // SAFETY: `handle` is live; without an open wave the shim does nothing.
        unsafe { (self.api.dump_wave)(self.entered(), time) }
    }

    /// Ends the wave file.
    pub(crate) fn close_wave(&self) {
        // SAFETY: `handle` is live; without an open wave the shim does nothing.
        unsafe { (self.api.close_wave)(self.entered()) }
    }

    /// Writes Verilator's coverage counts; false if the file cannot be written or there are none.
    pub(crate) fn write_coverage(&self, path: &Path) -> bool {
        let path = c_path(path);
        // SAFETY: `handle` is live; `path` is NUL-terminated and outlives the call.
        unsafe { (self.api.write_coverage)(self.entered(), path.as_ptr()) == 0 }
    }

    /// Runs the model's `final` blocks.
    pub(crate) fn finish(&self) -> Status {
        // SAFETY: `handle` is live; C++ exceptions are caught by the shim.
        Status::of(unsafe { (self.api.finish)(self.entered()) })
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: `handle` came from `new` and is freed here alone; every `PortCell` holds a share
        // in `self`, so no port address is left.
        unsafe { (self.api.delete)(self.entered()) }
        ENTERED.set(ptr::null_mut());
    }
}

/// A path as C takes it.
fn c_path(path: &Path) -> CString {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes()).expect("a path that exists has no NUL byte")
}

/// The memory of one port, and a share in the object it is part of.
///
/// Verilator stores up to 8, 16, 32 and 64 bits as an integer of that size, and more as 32-bit words,
/// least significant first.
#[derive(Clone)]
pub(crate) struct PortCell {
    at: NonNull<c_void>,
    bits: u32,
    /// 32-bit words of its value.
    words: u32,
    owner: Rc<Instance>,
}

impl PortCell {
    /// Width of the port.
    #[inline]
    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    /// 32-bit words of the port's value, at least 1.
    #[inline]
    pub(crate) fn words(&self) -> usize {
        self.words as usize
    }

    /// The same port, if it is one bit wide.
    pub(crate) fn bit(&self) -> Option<BitCell> {
        (self.bits == 1).then(|| BitCell { at: self.at.cast(), _owner: Rc::clone(&self.owner) })
    }

    /// The port's low 64 bits.
    #[inline]
    pub(crate) fn read(&self) -> u64 {
        let at = self.at;
        // SAFETY: facts 1 to 3 of the module; each access has the type that Verilator gives a port
        // of this width, and above 64 bits there are at least three words.
        unsafe {
            match self.bits {
                ..=8 => at.cast::<u8>().read().into(),
                9..=16 => at.cast::<u16>().read().into(),
                17..=32 => at.cast::<u32>().read().into(),
                33..=64 => at.cast::<u64>().read(),
                _ => u64::from(at.cast::<u32>().read()) | u64::from(at.cast::<u32>().add(1).read()) << 32,
            }
        }
    }

    /// Sets the port; `value` fits its width, which the caller has checked.
    #[inline]
    pub(crate) fn write(&self, value: u64) {
        let at = self.at;
        // SAFETY: as in `read`.
        unsafe {
            match self.bits {
                ..=8 => at.cast::<u8>().write(value as u8),
                9..=16 => at.cast::<u16>().write(value as u16),
                17..=32 => at.cast::<u32>().write(value as u32),
                33..=64 => at.cast::<u64>().write(value),
                _ => {
                    let at = at.cast::<u32>();
                    at.write(value as u32);
                    at.add(1).write((value >> 32) as u32);
                    at.add(2).write_bytes(0, self.words() - 2);
                }
            }
        }
    }

    /// Copies the port into the first of `words`, least significant first.
    #[inline]
    pub(crate) fn read_words(&self, words: &mut [u32]) {
        if self.bits <= 64 {
            let value = self.read();
            words[0] = value as u32;
            if self.bits > 32 {
                words[1] = (value >> 32) as u32;
            }
        } else {
            let words = &mut words[..self.words()];
            // SAFETY: facts 1 to 3 of the module; both sides are as many words long, and a Rust
            // slice cannot overlap the model's memory.
            unsafe { words.as_mut_ptr().copy_from_nonoverlapping(self.at.cast::<u32>().as_ptr(), words.len()) }
        }
    }

    /// Sets the port from the first of `words`, least significant first; they fit its width, which
    /// the caller has checked.
    #[inline]
    pub(crate) fn write_words(&self, words: &[u32]) {
        if self.bits <= 32 {
            self.write(words[0].into());
        } else if self.bits <= 64 {
            self.write(u64::from(words[0]) | u64::from(words[1]) << 32);
        } else {
            let words = &words[..self.words()];
            // SAFETY: as in `read_words`.
            unsafe { self.at.cast::<u32>().as_ptr().copy_from_nonoverlapping(words.as_ptr(), words.len()) }
        }
    }
}

/// The memory of a port of one bit (a clock, a reset, a side of a handshake), and a share in the
/// object it is part of. Nothing is left to decide when it is read or set.
pub(crate) struct BitCell {
    at: NonNull<u8>,
    _owner: Rc<Instance>,
}

impl BitCell {
    /// The port's value.
    #[inline]
    pub(crate) fn read(&self) -> bool {
        // SAFETY: facts 1 to 3 of the module; Verilator gives a port of one bit a byte.
        unsafe { self.at.read() != 0 }
    }

    /// Sets the port.
    #[inline]
    pub(crate) fn write(&self, value: bool) {
        // SAFETY: as in `read`.
        unsafe { self.at.write(value.into()) }
    }
}
