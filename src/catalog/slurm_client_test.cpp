#include "catalog/slurm_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process.h"

namespace hone::slurm {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Array array_in(const Path& folder) {
  return {.name = "hone-1",
          .options = {{"gres", "gpu:1"}, {"partition", "night $(date)"}},
          .program = "/opt/hone",
          .folder = folder,
          .list = "list.txt",
          .tasks = 4,
          .at_a_time = 2,
          .time_limit_s = 61,
          .memory_bytes = 3'000'000};
}

TEST(SlurmClient, ASubmissionSaysLimitsAndOptionsAsWholeWords) {
  const auto words = words_of(array_in("/shared/50% done"), "/shared/50% done/cell.sh");
  EXPECT_THAT(words, Contains("--array=0-3%2"));
  EXPECT_THAT(words, Contains("--time=2"));
  EXPECT_THAT(words, Contains("--mem=3M"));
  EXPECT_THAT(words, Contains("--gres=gpu:1"));
  EXPECT_THAT(words, Contains("--partition=night $(date)"));
  EXPECT_THAT(words, Contains("--output=/shared/50%% done/slurm-%A_%a.log"));
  EXPECT_EQ(words.back(), "list.txt");
}

TEST(SlurmClient, WithoutALimitOfMemoryThePartitionDecides) {
  Array array = array_in("/shared");
  array.memory_bytes = 0;
  EXPECT_THAT(words_of(array, "/shared/cell.sh"), Not(Contains(StartsWith("--mem"))));
}

TEST(SlurmClient, TheScriptRunsTheCellOfItsLineWhateverThePathsAreCalled) {
  const TemporaryFolder folder = *TemporaryFolder::create("slurm");
  const Path jobs = folder.path() / "a $(touch x) 'b' \"c\"";
  std::filesystem::create_directories(jobs);
  ASSERT_TRUE(write_file(jobs / "cell.sh", script()));
  ASSERT_TRUE(write_file(jobs / "list.txt", "a.job a.outcome\nb.job b.outcome\n"));
  ProcessOptions options;
  options.environment = {{"SLURM_ARRAY_TASK_ID", "1"}};
  const auto end = run_process(
      {"/bin/sh", (jobs / "cell.sh").string(), "/bin/echo", jobs.string(), "list.txt"}, options);
  ASSERT_TRUE(end && end->ok());
  EXPECT_EQ(end->standard_output,
            "worker " + (jobs / "b.job").string() + " " + (jobs / "b.outcome").string() + "\n");
}

TEST(SlurmClient, AnUnknownOptionIsRefusedWithTheKnownOnes) {
  EXPECT_TRUE(check_options({{"partition", "main"}, {"qos", "low"}}));
  const Status refused = check_options({{"wrap", "rm"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault, Fault::bad_input);
  EXPECT_THAT(refused.error().what, HasSubstr("'wrap'"));
  EXPECT_THAT(refused.error().hint,
              HasSubstr("partition, constraint, gres, account, qos, nodelist"));
}

TEST(SlurmClient, TheQueueIsReadTaskByTask) {
  const auto tasks = read_queue("12 0 RUNNING list-a.txt\n12 3 PENDING list-a.txt \n");
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[1].array, "12");
  EXPECT_EQ(tasks[1].index, 3u);
  EXPECT_EQ(tasks[1].state, "PENDING");
  EXPECT_EQ(tasks[1].list, "list-a.txt");
  EXPECT_EQ(log_file("/f", tasks[1]), Path("/f/slurm-12_3.log"));
}

TEST(SlurmClient, WhatIsNoTaskIsLeftOut) {
  EXPECT_TRUE(read_queue("").empty());
  EXPECT_TRUE(read_queue("CLUSTER: far\n\n12 N/A RUNNING x\n-1 0 RUNNING x\n12 0 RUNNING\n"
                         "12 -1 RUNNING x\n12 99999999999999999999999 RUNNING x\n12 0 A b c\n")
                  .empty());
  EXPECT_TRUE(read_queue(std::string("\0\xff\n \n", 5)).empty());
}

TEST(SlurmClient, ATaskThatIsEndingIsNotOver) {
  EXPECT_FALSE(is_over("COMPLETING"));
  EXPECT_FALSE(is_over("REQUEUED"));
  EXPECT_TRUE(is_over("CANCELLED"));
  EXPECT_TRUE(is_over("OUT_OF_MEMORY"));
}

}  // namespace
}  // namespace hone::slurm
