package io.delayqueue.sample.demo;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.template.DelayQueueOperations;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;

/**
 * The second process: an application with one listener, which never finishes, and without the shop's database. It ends when
 * it is killed, with the shop, or after two minutes. Not a component, so that the shop does not contain it.
 */
@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
final class Twin {

    static final String TOPIC = "demo-kill";
    /** Tells the shop that the process handles its message. */
    static final String NEWS = "demo-kill-begun";

    static final String LEASE = "5s";

    private static final long LIFE_MINUTES = 2;

    private final DelayQueueOperations delayQueue;

    Twin(DelayQueueOperations delayQueue) {
        this.delayQueue = delayQueue;
    }

    /**
     * The message.
     *
     * @param process the process that is killed
     */
    record Work(long process) {}

    public static void main(String[] arguments) throws InterruptedException {
        ProcessHandle.current()
                .parent()
                .ifPresent(
                        shop -> shop.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
        new SpringApplicationBuilder(Twin.class).web(WebApplicationType.NONE).run(arguments);
        TimeUnit.MINUTES.sleep(LIFE_MINUTES);
        Runtime.getRuntime().halt(1);
    }

    @DelayListener(topic = TOPIC, lease = LEASE)
    void handle(Work work) throws InterruptedException {
        delayQueue.send(NEWS, work, Duration.ZERO);
        TimeUnit.MINUTES.sleep(LIFE_MINUTES);
    }
}
