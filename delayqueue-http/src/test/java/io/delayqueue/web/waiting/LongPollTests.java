package io.delayqueue.web.waiting;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.servlet.ServletWebServerFactory;

class LongPollTests {

    @Nested
    class OnTomcat extends LongPollContract {

        @Override
        ServletWebServerFactory factory() {
            TomcatServletWebServerFactory factory = new TomcatServletWebServerFactory(0);
            factory.addEngineValves(new TomcatRequestValve());
            return factory;
        }
    }

    @Nested
    @Tag("long")
    @Tag("http")
    class OnJetty extends LongPollContract {

        @Override
        ServletWebServerFactory factory() {
            return new JettyServletWebServerFactory(0);
        }
    }
}
