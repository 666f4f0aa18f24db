package io.delayqueue.web.api;

import org.junit.jupiter.api.Nested;

class RequestMetersTests {

    @Nested
    class OnTomcat extends RequestMetersContract {

        OnTomcat() {
            super("tomcat");
        }
    }

    @Nested
    class OnJetty extends RequestMetersContract {

        OnJetty() {
            super("jetty", ApiNode.JETTY);
        }
    }
}
