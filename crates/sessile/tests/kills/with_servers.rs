//! Kills against an S3 server that `cargo xtask test` starts; `--local` passes over this module.

use crate::crowd;
use crate::moves;
use crate::on_files::every_row;
use crate::rows;
use crate::site::Site;
use crate::story::Point;

every_row!(Site::on_s3().await);

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_that_is_killed_at_random_does_everything_once() {
    crowd::works(&Site::on_s3().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_that_was_killed_anywhere_is_completed_by_moving_again() {
    moves::are_completed(Site::on_s3).await;
}
