package io.delayqueue.compatibility.migration;

import io.delayqueue.annotation.DelayListener;
import io.delayqueue.compatibility.migration.OldQueue.Handled;
import io.delayqueue.template.DelayQueueOperations;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/** An application with the topic that replaces the old queue. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class NewApplication {

    private final List<Handled> handled = new CopyOnWriteArrayList<>();

    /** Imports, until it is killed. Arguments: the old library, the port, and whether to move all messages. */
    public static void main(String... args) throws Exception {
        try (ConfigurableApplicationContext context = start(Integer.parseInt(args[1]), false)) {
            OldLibrary.valueOf(args[0])
                    .importInto(context, context.getBean(DelayQueueOperations.class), Boolean.parseBoolean(args[2]));
        }
    }

    static ConfigurableApplicationContext start(int port, boolean listening) {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.main.web-application-type=none",
                "--spring.main.banner-mode=off",
                "--logging.level.root=error",
                "--delayqueue.listener.auto-startup=" + listening,
                "--spring.data.redis.port=" + port));
        return SpringApplication.run(NewApplication.class, arguments.toArray(String[]::new));
    }

    @DelayListener(topic = OldQueue.NAME)
    void handle(Order order) {
        handled.add(new Handled(order.number(), System.currentTimeMillis()));
    }

    List<Handled> handled() {
        return handled;
    }

    record Order(String number) {}
}
