package io.delayqueue.autoconfigure.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.servlet.DispatcherType;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The security filter chain of docs/http.md for both HTTP interfaces, with authorities instead of tokens. */
@EmbeddedRedis
class SecuredHttpInterfacesTests {

    private static final String PASSWORD = "secret";
    /** With the lowest strength. The default encoder takes a tenth of a second per request. */
    private static final PasswordEncoder PASSWORDS = new BCryptPasswordEncoder(4);

    private static final String API = "/delayqueue/v1";

    private static ConfigurableApplicationContext context;

    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeAll
    static void start(RedisServerProcess redis) {
        context = new SpringApplicationBuilder(Application.class)
                .run(
                        "--server.address=127.0.0.1",
                        "--server.port=0",
                        "--spring.data.redis.port=" + redis.port(),
                        "--delayqueue.http.api.enabled=true",
                        "--delayqueue.http.compat.enabled=true",
                        "--delayqueue.http.compat.base-path=/queue",
                        "--delayqueue.http.compat.max-wait=10ms");
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @ParameterizedTest
    @CsvSource({
        "producer, /queue/push, 200",
        "producer, /queue/get, 200",
        "producer, /queue/delete, 200",
        "producer, /queue/pop, 403",
        "producer, /queue/finish, 403",
        "consumer, /queue/pop, 200",
        "consumer, /queue/finish, 200",
        "consumer, /queue/push, 403",
        "nobody, /queue/push, 401",
        "nobody, /queue/pop, 401"
    })
    void compatInterfaceRequiresAuthorities(String user, String path, int status) throws Exception {
        assertThat(post(user, path, "{\"topic\":\"jobs\",\"id\":\"1\",\"delay\":1,\"ttr\":1}")
                        .statusCode())
                .isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({
        "producer, /topics/orders/messages, 201",
        "producer, /receive, 403",
        "producer, /leases/dA.MQ.x/acknowledge, 403",
        "producer, /topics/orders/dead-letters/a/replay, 403",
        "consumer, /receive, 200",
        "consumer, /leases/dA.MQ.x/acknowledge, 410",
        "consumer, /topics/orders/messages, 403",
        "consumer, /topics/orders/dead-letters/a/replay, 403",
        "admin, /topics/orders/messages, 201",
        "admin, /receive, 200",
        "admin, /topics/orders/dead-letters/a/replay, 404",
        "nobody, /topics/orders/messages, 401"
    })
    void apiRequiresAuthorities(String user, String path, int status) throws Exception {
        String body = path.endsWith("/messages")
                ? "{\"payload\":1}"
                : path.equals("/receive") ? "{\"topics\":[\"orders\"]}" : "{}";

        assertThat(post(user, API + path, body).statusCode()).isEqualTo(status);
    }

    @Test
    void asynchronousResponseIsAuthorized() throws Exception {
        var waiting = http.sendAsync(
                request("consumer", "/delayqueue/v1/receive", "{\"topics\":[\"late\"],\"wait\":\"50s\"}"),
                HttpResponse.BodyHandlers.ofString());
        post("producer", "/delayqueue/v1/topics/late/messages", "{\"id\":\"l\",\"delay\":\"50ms\",\"payload\":1}");

        assertThat(waiting.join().body()).contains("\"id\":\"l\"");
    }

    @Test
    void requestsThatSecurityRejectsAreMeasured() throws Exception {
        assertThat(post("nobody", API + "/receive", "{}").statusCode()).isEqualTo(401);
        assertThat(post("producer", API + "/leases/dA.MQ.x/acknowledge", "{}").statusCode())
                .isEqualTo(403);

        await().until(() -> measured("none") && measured("acknowledge"));
    }

    /** All clients of the application's security share a tag. */
    private static boolean measured(String operation) {
        Timer timer = context.getBean(MeterRegistry.class)
                .find("delayqueue.http.requests")
                .tags("interface", "api", "operation", operation, "status", "4xx", "client", "none")
                .timer();
        return timer != null && timer.count() > 0;
    }

    @Test
    void documentedChainIsTested() throws IOException {
        String test = Files.readString(
                Path.of("src/test/java/io/delayqueue/autoconfigure/http/SecuredHttpInterfacesTests.java"), UTF_8);
        String document = Files.readString(Path.of("../docs/http.md"), UTF_8);

        assertThat(between(document, "```java\n", "```").strip())
                .isEqualTo(between(test, "// begin of the chain\n", "// end of the chain")
                        .stripIndent()
                        .strip());
    }

    private static String between(String text, String begin, String end) {
        int from = text.lastIndexOf(begin) + begin.length();
        return text.substring(from, text.indexOf(end, from));
    }

    private HttpResponse<String> post(String user, String path, String body) throws Exception {
        return http.send(request(user, path, body), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpRequest request(String user, String path, String body) {
        String credentials = Base64.getEncoder().encodeToString((user + ":" + PASSWORD).getBytes(UTF_8));
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", "Basic " + credentials)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        // begin of the chain
        @Bean
        @Order(1)
        SecurityFilterChain httpInterfaces(HttpSecurity http) {
            return http.securityMatcher("/delayqueue/v1/**", "/queue/**")
                    .csrf(csrf -> csrf.disable())
                    .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                    .httpBasic(Customizer.withDefaults())
                    .authorizeHttpRequests(requests -> requests.dispatcherTypeMatchers(DispatcherType.ASYNC)
                            .permitAll()
                            .anyRequest()
                            .authenticated())
                    .build();
        }
        // end of the chain

        @Bean
        PasswordEncoder passwords() {
            return PASSWORDS;
        }

        @Bean
        InMemoryUserDetailsManager users() {
            return new InMemoryUserDetailsManager(
                    user("producer", "delayqueue:produce"),
                    user("consumer", "delayqueue:consume"),
                    user("admin", "delayqueue:admin"));
        }

        private static UserDetails user(String name, String... authorities) {
            return User.withUsername(name)
                    .password(PASSWORDS.encode(PASSWORD))
                    .authorities(authorities)
                    .build();
        }
    }
}
