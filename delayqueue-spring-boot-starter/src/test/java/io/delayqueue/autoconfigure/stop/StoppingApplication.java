package io.delayqueue.autoconfigure.stop;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.event.DelayQueueEvents;
import io.delayqueue.event.Recipient;
import io.delayqueue.template.DelayQueueOperations;
import io.delayqueue.template.receive.DelayQueueReceiver;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.messaging.core.AbstractMessageSendingTemplate;

/**
 * An application whose handlers end only after its end has begun. What happens it prints, line by line. Its handlers wait
 * for a bean that stops after listeners do, so that a stop which doesn't wait for them is seen without luck.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
class StoppingApplication {

    static final int HANDLERS = 8;

    /** Runs until it is told to end, its standard input ends, or its start fails. */
    public static void main(String... args) throws IOException {
        try {
            start(args);
            while (System.in.read() >= 0) {
                // nothing is said: this waits for the end
            }
        } catch (RuntimeException e) {
            e.printStackTrace();
        }
        Runtime.getRuntime().halt(1);
    }

    /** Starts it, with as many messages as it has handlers. */
    static ConfigurableApplicationContext start(String... properties) {
        List<String> args = new ArrayList<>(List.of(
                "--spring.main.web-application-type=none",
                "--spring.main.banner-mode=off",
                "--delayqueue.topics[jobs].max-attempts=1"));
        args.addAll(Arrays.asList(properties));
        ConfigurableApplicationContext context =
                SpringApplication.run(StoppingApplication.class, args.toArray(String[]::new));
        DelayQueueOperations delayQueue = context.getBean(DelayQueueOperations.class);
        for (int i = 0; i < HANDLERS; i++) {
            delayQueue.send("jobs", "job " + i);
        }
        return context;
    }

    @Bean
    Jobs jobs(ObjectProvider<DelayListenerRegistry> registry, Later later) {
        return new Jobs(registry, later);
    }

    @Bean
    Later later() {
        return new Later();
    }

    @Bean
    ReceivedEvents receivedEvents() {
        return new ReceivedEvents();
    }

    @Bean
    Receipts receipts() {
        return new Receipts();
    }

    static class Jobs {

        final CountDownLatch started = new CountDownLatch(HANDLERS);
        private final ObjectProvider<DelayListenerRegistry> registry;
        private final Later later;

        Jobs(ObjectProvider<DelayListenerRegistry> registry, Later later) {
            this.registry = registry;
            this.later = later;
        }

        @DelayListener(topic = "jobs", id = "jobs", concurrency = "8")
        void handle(String job) throws InterruptedException {
            later.running.incrementAndGet();
            started.countDown();
            System.out.println("started " + job);
            DelayListenerRegistry listeners = registry.getObject();
            while (listeners.isRunning() && !later.stopped.await(20, TimeUnit.MILLISECONDS)) {
                // the application runs
            }
            boolean tooLate = later.stopped.getCount() == 0;
            later.running.decrementAndGet();
            System.out.println((tooLate ? "ended too late " : "ended ") + job);
        }
    }

    /** What handlers use, which stops after listeners. */
    static class Later extends Switch {

        final AtomicInteger running = new AtomicInteger();
        final CountDownLatch stopped = new CountDownLatch(1);

        @Override
        public void stop() {
            super.stop();
            System.out.println("stopped what handlers use while " + running + " of them ran");
            stopped.countDown();
        }

        @Override
        public int getPhase() {
            return 0;
        }
    }

    static class ReceivedEvents implements DelayQueueEvents {

        @Override
        public void acknowledged(Recipient recipient, String id, int attempt, Duration handling, Duration sinceSent) {
            System.out.println("acknowledged " + id);
        }
    }

    /** Where messages are forwarded to, if they are. */
    static class Receipts extends AbstractMessageSendingTemplate<String> {

        @Override
        protected void doSend(String destination, Message<?> message) {}
    }

    /** Beans of a user that are not running, and depend on what listens. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty("dependents")
    static class Dependents {

        @Bean
        Switch ofRegistry(DelayListenerRegistry registry) {
            return new Off();
        }

        @Bean
        Switch ofRegistryInItsPhase(DelayListenerRegistry registry) {
            return new Off() {
                @Override
                public int getPhase() {
                    return DelayListenerRegistry.PHASE;
                }
            };
        }

        @Bean
        Switch runningOfRegistry(DelayListenerRegistry registry) {
            return new Switch();
        }

        @Bean
        Switch ofOperations(DelayQueueOperations operations) {
            return new Off();
        }

        @Bean
        Switch ofReceiver(DelayQueueReceiver receiver) {
            return new Off();
        }
    }

    static class Switch implements SmartLifecycle {

        private volatile boolean running;

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    static class Off extends Switch {

        @Override
        public boolean isAutoStartup() {
            return false;
        }
    }
}
