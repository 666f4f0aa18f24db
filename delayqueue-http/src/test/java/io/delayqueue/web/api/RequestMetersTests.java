package io.delayqueue.web.api;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

class RequestMetersTests {

    @Nested
    class OnTomcat extends RequestMetersContract {

        OnTomcat() {
            super("tomcat");
        }
    }

    @Nested
    @Tag("long")
    @Tag("http")
    class OnJetty extends RequestMetersContract {

        OnJetty() {
            super("jetty", ApiNode.JETTY);
        }
    }
}
