//! The Verilog files and the list of them.

use super::{RenderError, Rendered};
use tollgate_hdl::catalogue::Block;
use tollgate_rtl::verilog;

/// One file a module, and `tollgate.f`. A module that several blocks bring is there once.
///
/// # Errors
///
/// [`RenderError::ModuleTwice`].
pub fn files(blocks: &[Block]) -> Result<Vec<Rendered>, RenderError> {
    let mut files: Vec<Rendered> = Vec::new();
    let mut brought_by = Vec::new();
    for block in blocks {
        for verilog::File { module, text } in verilog::print(&block.design) {
            let path = format!("rtl/{module}.v");
            match files.iter().position(|file| file.path == path) {
                None => {
                    files.push(Rendered { path, text });
                    brought_by.push(block.key);
                }
                Some(known) if files[known].text == text => {}
                Some(known) => {
                    let (first, second) = (brought_by[known].to_owned(), block.key.to_owned());
                    return Err(RenderError::ModuleTwice { module, first, second });
                }
            }
        }
    }
    let list = files.iter().map(|file| format!("{}\n", file.path)).collect::<String>();
    files.push(Rendered::new("tollgate.f", list));
    Ok(files)
}
