package io.delayqueue.web.api;

class JettyReceiveTests extends ReceiveContract {

    JettyReceiveTests() {
        super("spring.autoconfigure.exclude="
                + "org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration,"
                + "org.springframework.boot.tomcat.autoconfigure.actuate.web.server."
                + "TomcatServletManagementContextAutoConfiguration");
    }
}
