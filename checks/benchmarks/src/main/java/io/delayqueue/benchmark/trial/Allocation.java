package io.delayqueue.benchmark.trial;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** The memory allocated by the live threads of this JVM. Allocations of terminated threads are not included. */
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
