package io.delayqueue.web.compat;

import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.springframework.beans.factory.annotation.Value;
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

/** An application with its own pages, whose security permits all requests. */
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
    JettyServletWebServerFactory jetty(
            @Value("${server.tomcat.threads.max:200}") int threads,
            @Value("${server.tomcat.accept-count:100}") int backlog) {
        JettyServletWebServerFactory factory = new JettyServletWebServerFactory();
        factory.setThreadPool(new QueuedThreadPool(threads));
        factory.addServerCustomizers(server -> {
            for (Connector connector : server.getConnectors()) {
                ((ServerConnector) connector).setAcceptQueueSize(backlog);
            }
        });
        return factory;
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
