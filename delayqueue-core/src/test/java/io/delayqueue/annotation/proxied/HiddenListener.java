package io.delayqueue.annotation.proxied;

import io.delayqueue.annotation.DelayListener;

/** A class whose listener method is not visible in the packages of its subclasses. */
public class HiddenListener {

    @DelayListener("orders")
    void handle(String payload) {}
}
