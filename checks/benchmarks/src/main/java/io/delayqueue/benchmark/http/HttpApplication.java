package io.delayqueue.benchmark.http;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * An application with both HTTP interfaces on Tomcat, with default settings except two: the number of requests of a
 * connection is unlimited, because Tomcat otherwise closes it after 100, and a pop waits for a short time.
 */
public final class HttpApplication implements HttpServer {

    /** The token of clients. */
    static final String TOKEN = "benchmark-benchmark";

    private final ConfigurableApplicationContext context;
    private final int port;

    /** Starts the application with a port of Redis on the loopback interface. */
    public HttpApplication(int redisPort) {
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.SERVLET)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + redisPort,
                        "server.address=127.0.0.1",
                        "server.port=0",
                        "server.tomcat.max-keep-alive-requests=-1",
                        "delayqueue.http.api.enabled=true",
                        "delayqueue.http.compat.enabled=true",
                        "delayqueue.http.compat.max-wait=100ms",
                        "delayqueue.http.clients.benchmark.tokens=" + TOKEN,
                        "delayqueue.http.clients.benchmark.permissions=admin",
                        "delayqueue-test.redis=none")
                .run();
        port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    /** The application code of a user. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Override
    public HttpConnection connect() {
        return new HttpConnection(port);
    }

    @Override
    public void close() {
        context.close();
    }
}
