package io.delayqueue.template;

import java.util.function.LongSupplier;

/** Sets the clock of a template, which is no API. */
public final class TemplateClock {

    private TemplateClock() {}

    /** Makes templates read a monotonic clock, in nanoseconds. */
    public static DelayQueueTemplateBuilder set(DelayQueueTemplateBuilder template, LongSupplier nanoTime) {
        return template.waiting(nanoTime, pause -> {});
    }
}
