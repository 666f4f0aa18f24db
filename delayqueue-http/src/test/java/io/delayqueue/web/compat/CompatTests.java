package io.delayqueue.web.compat;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

class CompatTests {

    @Nested
    class OnTomcat extends CompatContract {

        @Override
        String server() {
            return "tomcat";
        }
    }

    @Nested
    @Tag("long")
    @Tag("http")
    class OnJetty extends CompatContract {

        @Override
        String server() {
            return "jetty";
        }
    }

    @Nested
    @Tag("long")
    @Tag("http")
    class OnTomcatOverHttp2 extends OnTomcat {

        @Override
        boolean isHttp2() {
            return true;
        }
    }

    @Nested
    @Tag("long")
    @Tag("http")
    class OnJettyOverHttp2 extends OnJetty {

        @Override
        boolean isHttp2() {
            return true;
        }
    }
}
