package io.delayqueue.web.api;

class TomcatReceiveTests extends ReceiveContract {

    TomcatReceiveTests() {
        super("tomcat");
    }
}
