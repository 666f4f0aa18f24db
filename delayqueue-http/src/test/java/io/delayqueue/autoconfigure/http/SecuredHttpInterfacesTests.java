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
import org.jspecify.annotations.Nullable;
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
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Both HTTP interfaces with authorities instead of tokens: below the security filter chain of docs/http.md, and below one
 * that permits all requests. {@link io.delayqueue.web.api.OpenApiDocumentTests} has the permission of each operation.
 */
@EmbeddedRedis
class SecuredHttpInterfacesTests {

    private static final String PASSWORD = "secret";
    /** With the lowest strength. The default encoder takes a tenth of a second per request. */
    private static final PasswordEncoder PASSWORDS = new BCryptPasswordEncoder(4);

    private static ConfigurableApplicationContext context;
    private static ConfigurableApplicationContext permitting;

    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeAll
    static void start(RedisServerProcess redis) {
        context = start(Application.class, redis);
        permitting = start(PermitsAll.class, redis);
    }

    private static ConfigurableApplicationContext start(Class<?> application, RedisServerProcess redis) {
        return new SpringApplicationBuilder(application)
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
        permitting.close();
    }

    @ParameterizedTest
    @CsvSource({
        "producer, /queue/push, 200",
        "producer, /queue/pop, 403",
        "consumer, /queue/pop, 200",
        "consumer, /queue/push, 403",
        "admin, /queue/pop, 200",
        "somebody, /queue/push, 403",
        "nobody, /queue/push, 401",
        "producer, /delayqueue/v1/topics/orders/messages, 201",
        "producer, /delayqueue/v1/receive, 403",
        "producer, /delayqueue/v1/topics/orders/dead-letters/a/replay, 403",
        "consumer, /delayqueue/v1/receive, 200",
        "consumer, /delayqueue/v1/leases/dA.MQ.x/acknowledge, 410",
        "consumer, /delayqueue/v1/topics/orders/messages, 403",
        "admin, /delayqueue/v1/topics/orders/dead-letters/a/replay, 404",
        "somebody, /delayqueue/v1/topics/orders/dead-letters/a/replay, 403",
        "nobody, /delayqueue/v1/topics/orders/messages, 401"
    })
    void operationRequiresAnAuthority(String user, String path, int status) throws Exception {
        String body = path.startsWith("/queue")
                ? "{\"topic\":\"jobs\",\"id\":\"1\",\"delay\":1,\"ttr\":1}"
                : path.endsWith("/messages")
                        ? "{\"payload\":1}"
                        : path.endsWith("/receive") ? "{\"topics\":[\"orders\"]}" : "{}";
        assertThat(post(user, path, body).statusCode()).isEqualTo(status);
    }

    /** An application whose chain permits all requests. The queue still requires its authorities. */
    @ParameterizedTest
    @CsvSource({
        "/delayqueue/v1/topics, delayqueue:admin",
        "/delayqueue/v1/openapi.json, 'delayqueue:produce, delayqueue:consume or delayqueue:admin'",
        "/queue/push, delayqueue:produce or delayqueue:admin",
        "/queue/pop, delayqueue:consume or delayqueue:admin"
    })
    void rejectionNamesTheAuthorities(String path, String authorities) throws Exception {
        HttpResponse<String> somebody = get("somebody", path);
        HttpResponse<String> unknown = get(null, path);
        assertThat(somebody.statusCode()).isEqualTo(403);
        assertThat(somebody.body()).contains("lacks the required authority: " + authorities + ".");
        assertThat(unknown.statusCode()).isEqualTo(403);
        assertThat(unknown.body())
                .contains("The request is not authenticated", authorities)
                .contains("delayqueue.http.clients", "delayqueue.http.unsecured");
        assertThat(get("admin", path).statusCode()).isEqualTo(200);
    }

    private HttpResponse<String> get(@Nullable String user, String path) throws Exception {
        HttpRequest.Builder request = request(permitting, path);
        if (user != null) {
            request.header("Authorization", credentials(user));
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
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
        assertThat(post("nobody", "/delayqueue/v1/receive", "{}").statusCode()).isEqualTo(401);
        assertThat(post("producer", "/delayqueue/v1/leases/dA.MQ.x/acknowledge", "{}")
                        .statusCode())
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
        return request(context, path)
                .header("Authorization", credentials(user))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    private static HttpRequest.Builder request(ConfigurableApplicationContext application, String path) {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    private static String credentials(String user) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + PASSWORD).getBytes(UTF_8));
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Users.class)
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
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Users.class)
    static class PermitsAll {

        @Bean
        SecurityFilterChain everybody(HttpSecurity http) {
            return http.httpBasic(Customizer.withDefaults())
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    static class Users {

        @Bean
        PasswordEncoder passwords() {
            return PASSWORDS;
        }

        /** Somebody has a role of that name, as directories and Boot's default user have. */
        @Bean
        InMemoryUserDetailsManager users() {
            return new InMemoryUserDetailsManager(
                    user("somebody").authorities("admin", "ROLE_ADMIN").build(),
                    user("producer").authorities("delayqueue:produce").build(),
                    user("consumer").authorities("delayqueue:consume").build(),
                    user("admin").roles("delayqueue:admin").build());
        }

        private static User.UserBuilder user(String name) {
            return User.withUsername(name).password(PASSWORDS.encode(PASSWORD));
        }
    }
}
