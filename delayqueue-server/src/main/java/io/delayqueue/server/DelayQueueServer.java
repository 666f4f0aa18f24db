package io.delayqueue.server;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Serves the HTTP interfaces of the queue, its dashboard and its metrics. Properties configure everything. */
@SpringBootApplication(proxyBeanMethods = false)
public class DelayQueueServer {

    /** Starts the server; the arguments are properties, for example {@code --server.port=9277}. */
    public static void main(String[] arguments) {
        SpringApplication.run(DelayQueueServer.class, arguments);
    }
}
