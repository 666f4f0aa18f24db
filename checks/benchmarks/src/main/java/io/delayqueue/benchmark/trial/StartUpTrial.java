package io.delayqueue.benchmark.trial;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.annotation.DelayListenerRegistry;
import io.delayqueue.benchmark.result.Party;
import io.delayqueue.benchmark.result.Quantity;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/**
 * Main class of the JVM of a start-up trial: a web application with Actuator and Spring Data Redis. Without the product
 * on the class path, the listener's class is not loaded.
 */
public final class StartUpTrial {

    private StartUpTrial() {}

    /**
     * Starts the application.
     *
     * @param arguments the party, the port of Redis, and the file to which the quantities are written as JSON
     */
    public static void main(String[] arguments) {
        Party party = Party.valueOf(arguments[0]);
        SpringApplicationBuilder application = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0", "spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + arguments[1]);
        if (party == Party.LISTENER) {
            application.sources(Listener.class);
        }
        ConfigurableApplicationContext context = application.run(); // returns when the application is ready
        long ready = System.currentTimeMillis();
        long cpu = ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .orElse(Duration.ZERO)
                .toMillis();
        int classes = ManagementFactory.getClassLoadingMXBean().getLoadedClassCount();
        long started = ManagementFactory.getRuntimeMXBean().getStartTime();
        if (party == Party.LISTENER) {
            Listener.requireRunning(context);
        }
        Map<Quantity, Double> values = Map.of(
                Quantity.READY_AFTER, (double) (ready - started),
                Quantity.CPU_READY, (double) cpu,
                Quantity.CLASSES, (double) classes);
        JsonMapper.builder().build().writeValue(Path.of(arguments[2]), values);
        System.exit(0);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    /** The listener of the application. */
    static class Listener {

        private static final String ID = "start-up";
        private static final Log log = LogFactory.getLog(Listener.class);

        @DelayListener(id = ID, topic = ID)
        void receive(String payload) {
            log.error("Received " + payload + " although no message was sent");
        }

        static void requireRunning(ConfigurableApplicationContext context) {
            if (!context.getBean(DelayListenerRegistry.class)
                    .getContainer(ID)
                    .orElseThrow()
                    .isRunning()) {
                throw new IllegalStateException("The application is ready, but its listener does not run");
            }
        }
    }
}
