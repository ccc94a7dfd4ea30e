//! Folders as people have them, and bytes of every kind.

mod folders;
mod older;
mod damage;
mod any_files;
