package io.delayqueue.web.api;

class JettyReceiveTests extends ReceiveContract {

    JettyReceiveTests() {
        super("jetty", ApiNode.JETTY);
    }
}
