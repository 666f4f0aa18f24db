package io.delayqueue.benchmark.trial;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What this JVM's living threads have allocated. Those that end in between take their part with them. */
final class Allocation {

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    long bytes() {
        long sum = 0;
        for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
            sum += Math.max(0, bytes);
        }
        return sum;
    }
}
