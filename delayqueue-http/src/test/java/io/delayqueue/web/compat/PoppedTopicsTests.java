package io.delayqueue.web.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A pop of many topics allocates less memory than its body. */
class PoppedTopicsTests {

    private static final int MANY = 400_000;

    @Test
    void listOfTopicsIsReadUpToTheLimit() {
        String topics = IntStream.range(0, MANY).mapToObj(Integer::toString).collect(Collectors.joining(","));

        assertThat(allocated(topics, "at most 100 topics")).isLessThan(topics.length());
    }

    @Test
    void emptyNamesAllocateNothing() {
        assertThat(allocated(",".repeat(MANY), "topic不能为空")).isLessThan(MANY);
    }

    private static long allocated(String topics, String sentence) {
        ThreadMXBean memory = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = memory.getCurrentThreadAllocatedBytes();
        // rejected before any of the nulls is used
        byte[] response = new JobPolls(null, null, null, null).pop(null, null, topics, null, null);
        long allocated = memory.getCurrentThreadAllocatedBytes() - before;
        assertThat(response).asString().contains(sentence);
        return allocated;
    }
}
