package io.delayqueue.web.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The topics that a pop names cost no more memory than its body, however many they are. */
class PoppedTopicsTests {

    private static final int MANY = 400_000;

    @Test
    void listOfTopicsIsNotReadBeyondItsLimit() {
        String topics = IntStream.range(0, MANY).mapToObj(Integer::toString).collect(Collectors.joining(","));

        assertThat(allocated(topics, "at most 100 topics")).isLessThan(topics.length());
    }

    @Test
    void listOfNothingCostsNothing() {
        assertThat(allocated(",".repeat(MANY), "topic不能为空")).isLessThan(MANY);
    }

    private static long allocated(String topics, String sentence) {
        ThreadMXBean memory = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = memory.getCurrentThreadAllocatedBytes();
        // rejected before anything is done for it
        byte[] answer = new JobPolls(null, null, null, null).pop(null, topics, null);
        long allocated = memory.getCurrentThreadAllocatedBytes() - before;
        assertThat(answer).asString().contains(sentence);
        return allocated;
    }
}
