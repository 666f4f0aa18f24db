package io.delayqueue.actuate;

import io.delayqueue.annotation.DeadLetterListener;
import io.delayqueue.annotation.DelayListener;
import io.delayqueue.message.DeadLetter;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** An application that permits all requests. Without credentials, their principal is anonymous on both stacks. */
@SpringBootConfiguration
@EnableAutoConfiguration
class EndpointApplication {

    static final String PASSWORD = "secret";

    /** With the lowest strength, because the default encoder takes a tenth of a second per request. */
    private static final PasswordEncoder PASSWORDS = new BCryptPasswordEncoder(4);

    @DelayListener(id = "worker", topic = "work", concurrency = "3", autoStartup = "false")
    void work(String text) {}

    @DeadLetterListener(id = "undertaker", topic = "work", autoStartup = "false")
    void deadLetter(DeadLetter deadLetter) {}

    @Bean
    PasswordEncoder passwords() {
        return PASSWORDS;
    }

    private static UserDetails[] users() {
        return new UserDetails[] {user("operator", "OPERATOR"), user("visitor", "VISITOR")};
    }

    private static UserDetails user(String name, String role) {
        return User.withUsername(name)
                .password(PASSWORDS.encode(PASSWORD))
                .roles(role)
                .build();
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static class OnServlets {

        @Bean
        SecurityFilterChain permitAll(HttpSecurity http) {
            return http.csrf(csrf -> csrf.disable())
                    .httpBasic(Customizer.withDefaults())
                    .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }

        @Bean
        InMemoryUserDetailsManager userDetails() {
            return new InMemoryUserDetailsManager(users());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class OnWebFlux {

        @Bean
        SecurityWebFilterChain permitAll(ServerHttpSecurity http) {
            return http.csrf(csrf -> csrf.disable())
                    .httpBasic(Customizer.withDefaults())
                    .anonymous(Customizer.withDefaults())
                    .authorizeExchange(requests -> requests.anyExchange().permitAll())
                    .build();
        }

        @Bean
        MapReactiveUserDetailsService userDetails() {
            return new MapReactiveUserDetailsService(users());
        }
    }
}
