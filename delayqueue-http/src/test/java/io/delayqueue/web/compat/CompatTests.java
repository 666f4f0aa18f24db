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

    @Nested
    class OnTomcatOverHttp2 extends OnTomcat {

        @Override
        boolean isHttp2() {
            return true;
        }
    }

    @Nested
    class OnJettyOverHttp2 extends OnJetty {

        @Override
        boolean isHttp2() {
            return true;
        }
    }
}
