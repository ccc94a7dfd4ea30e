//! Kills on a local filesystem.

use crate::crowd;
use crate::moves;
use crate::rows;
use crate::site::Site;
use crate::story::Point;

/// How often a child is killed while it commits: each time at another moment of it.
pub(crate) const ROUNDS: usize = 10;

macro_rules! every_row {
    ($site:expr) => {
        #[tokio::test(flavor = "multi_thread")]
        async fn before_the_claim() {
            rows::killed_at(&$site, Point::BeforeClaim).await;
        }

        #[tokio::test(flavor = "multi_thread")]
        async fn after_the_claim() {
            rows::killed_at(&$site, Point::AfterClaim).await;
        }

        #[tokio::test(flavor = "multi_thread")]
        async fn after_the_intent() {
            rows::killed_at(&$site, Point::AfterIntent).await;
        }

        #[tokio::test(flavor = "multi_thread")]
        async fn after_the_tool_ran() {
            rows::killed_at(&$site, Point::AfterTool).await;
        }

        #[tokio::test(flavor = "multi_thread")]
        async fn after_the_completion() {
            rows::killed_at(&$site, Point::AfterCompletion).await;
        }

        #[tokio::test(flavor = "multi_thread")]
        async fn during_the_commit() {
            for _ in 0..$crate::on_files::ROUNDS {
                rows::killed_at(&$site, Point::DuringCommit).await;
            }
        }

        #[tokio::test(flavor = "multi_thread")]
        async fn after_the_commit_and_before_the_reply() {
            rows::killed_at(&$site, Point::AfterCommit).await;
        }
    };
}

pub(crate) use every_row;

every_row!(Site::on_files());

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_that_is_killed_at_random_does_everything_once() {
    crowd::works(&Site::on_files()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_that_was_killed_anywhere_is_completed_by_moving_again() {
    moves::are_completed(async || Site::on_files()).await;
}
