package io.delayqueue.autoconfigure.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.junit.EmbeddedRedis;
import io.delayqueue.test.redis.RedisServerProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** Without tokens, Spring Security authenticates clients, and their authorities permit operations. */
@EmbeddedRedis
class ApplicationSecurityTests {

    private static final String PASSWORD = "secret";
    /** With the lowest strength. The default encoder takes a tenth of a second per request. */
    private static final PasswordEncoder PASSWORDS = new BCryptPasswordEncoder(4);

    private static final String DEAD_LETTERS = "/delayqueue/v1/topics/orders/dead-letters";
    private static final String MESSAGE = "/delayqueue/v1/topics/orders/messages/absent";
    private static final String DOCUMENT = "/delayqueue/v1/openapi.json";

    private static ConfigurableApplicationContext context;

    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeAll
    static void start(RedisServerProcess redis) {
        context = new SpringApplicationBuilder(PermitsAll.class)
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

    /** An application whose chain permits all requests. The queue still requires its authorities. */
    @ParameterizedTest
    @CsvSource({
        ", " + DEAD_LETTERS + ", 403",
        ", " + MESSAGE + ", 403",
        ", " + DOCUMENT + ", 403",
        ", /queue/push, 403",
        ", /queue/pop, 403",
        ", /queue/get, 403",
        "somebody, " + DEAD_LETTERS + ", 403",
        "somebody, " + MESSAGE + ", 403",
        "somebody, " + DOCUMENT + ", 403",
        "somebody, /queue/push, 403",
        "producer, " + MESSAGE + ", 404",
        "producer, " + DOCUMENT + ", 200",
        "producer, " + DEAD_LETTERS + ", 403",
        "producer, /queue/get, 200",
        "producer, /queue/pop, 403",
        "consumer, /queue/pop, 200",
        "consumer, " + MESSAGE + ", 404",
        "consumer, " + DEAD_LETTERS + ", 403",
        "admin, " + DEAD_LETTERS + ", 200",
        "admin, " + MESSAGE + ", 404",
        "admin, /queue/pop, 200"
    })
    void clientsNeedTheAuthorityOfTheOperation(@Nullable String user, String path, int status) throws Exception {
        assertThat(get(user, path).statusCode()).isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({
        DEAD_LETTERS + ", delayqueue:admin",
        MESSAGE + ", 'delayqueue:produce, delayqueue:consume or delayqueue:admin'",
        "/queue/push, delayqueue:produce or delayqueue:admin",
        DOCUMENT + ", 'delayqueue:produce, delayqueue:consume or delayqueue:admin'",
        "/queue/pop, delayqueue:consume or delayqueue:admin"
    })
    void rejectionNamesTheAuthorities(String path, String authorities) throws Exception {
        assertThat(get("somebody", path).body()).contains("lacks the required authority: " + authorities + ".");
        assertThat(get(null, path).body())
                .contains("The request is not authenticated")
                .contains(authorities)
                .contains("delayqueue.http.clients")
                .contains("delayqueue.http.unsecured");
    }

    private HttpResponse<String> get(@Nullable String user, String path) throws Exception {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
        if (user != null) {
            String credentials = Base64.getEncoder().encodeToString((user + ":" + PASSWORD).getBytes(UTF_8));
            request.header("Authorization", "Basic " + credentials);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class PermitsAll {

        @Bean
        SecurityFilterChain everybody(HttpSecurity http) {
            return http.httpBasic(Customizer.withDefaults())
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }

        @Bean
        PasswordEncoder passwords() {
            return PASSWORDS;
        }

        /** One of the users has a role of that name, as directories and Boot's default user have. */
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
