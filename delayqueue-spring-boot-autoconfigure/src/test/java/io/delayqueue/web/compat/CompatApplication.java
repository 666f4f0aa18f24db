package io.delayqueue.web.compat;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application with pages of its own, whose security lets everybody in. */
@SpringBootConfiguration
@EnableAutoConfiguration
@RestController
class CompatApplication {

    @RequestMapping({"/own", "/push/own"})
    String own() {
        return "own page";
    }

    @Bean
    @ConditionalOnProperty(name = "test.server", havingValue = "jetty")
    JettyServletWebServerFactory jetty() {
        return new JettyServletWebServerFactory();
    }

    @Bean
    @ConditionalOnProperty(name = "test.server", havingValue = "tomcat")
    TomcatServletWebServerFactory tomcat() {
        return new TomcatServletWebServerFactory();
    }

    @Bean
    SecurityFilterChain everybody(HttpSecurity http) {
        return http.csrf(csrf -> csrf.disable())
                .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                .build();
    }
}
