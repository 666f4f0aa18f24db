package io.delayqueue.testing;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Applies to each test of each module: waits end after a minute, which only ends a hang, and a test that is not long uses
 * at most 10 s of processor time.
 */
public final class TestRules implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback {

    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(10);
    private static final Duration PROCESSOR_TIME = Duration.ofSeconds(10);
    private static final Namespace NAMESPACE = Namespace.create(TestRules.class);
    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    /** Created by JUnit. */
    public TestRules() {}

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(WAIT);
        Awaitility.setDefaultPollInterval(POLL_INTERVAL);
        Awaitility.setDefaultPollDelay(Duration.ZERO);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        context.getStore(NAMESPACE).put("begun", SYSTEM.getProcessCpuTime());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        long begun = context.getStore(NAMESPACE).get("begun", long.class);
        Duration used = Duration.ofNanos(SYSTEM.getProcessCpuTime() - begun);
        if (used.compareTo(PROCESSOR_TIME) > 0 && !context.getTags().contains("long")) {
            throw new AssertionError(
                    "The test used " + used.toMillis() + " ms of processor time. A test that needs more than "
                            + PROCESSOR_TIME.toSeconds() + " s is long: see docs/development.md");
        }
    }
}
