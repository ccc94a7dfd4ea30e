//! `sessile manual`.

use std::path::Path;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use crate::args::{Cli, ManualArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::new_file::NewFile;
use crate::output::Output;

/// Prints the manual page of the program, or writes one for each command.
pub(crate) fn run(args: ManualArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut program = Cli::command();
    program.build();
    let Some(folder) = args.output else {
        output.bytes(&page(program)?)?;
        return Ok(Exit::Done);
    };
    for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
        let name = format!("sessile-{}", command.get_name());
        let path = folder.join(format!("{name}.1"));
        write(&path, &page(command.clone().display_name(&name))?, output)?;
    }
    write(&folder.join("sessile.1"), &page(program)?, output)?;
    Ok(Exit::Done)
}

fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page).map_err(Failure::Output)?;
    Ok(page)
}

fn write(path: &Path, page: &[u8], output: &mut Output) -> Result<(), Failure> {
    // A page of an older version is replaced.
    let mut file = NewFile::begin(path, true)?;
    file.add(page)?;
    file.finish()?;
    output.line(&path.display().to_string())
}
