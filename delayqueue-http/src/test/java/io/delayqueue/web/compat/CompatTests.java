package io.delayqueue.web.compat;

import org.junit.jupiter.api.Nested;

class CompatTests {

    @Nested
    class OnTomcat extends CompatContract {

        @Override
        String server() {
            return "tomcat";
        }
    }

    @Nested
    class OnJetty extends CompatContract {

        @Override
        String server() {
            return "jetty";
        }
    }
}
