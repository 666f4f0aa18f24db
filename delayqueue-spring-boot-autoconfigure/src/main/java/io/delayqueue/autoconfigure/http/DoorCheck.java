package io.delayqueue.autoconfigure.http;

import io.delayqueue.autoconfigure.failure.HttpDoorException;
import io.delayqueue.autoconfigure.property.HttpProperties;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Fails the start of an application that opens a door it doesn't have, or leaves it to everybody without saying so. */
final class DoorCheck implements SmartInitializingSingleton {

    /** The name that Spring Security gives to what stands before all requests. */
    private static final String SPRING_SECURITY = "springSecurityFilterChain";

    private final HttpProperties properties;
    private final boolean onServlets;
    private final BooleanSupplier onSpringMvc;
    private final ListableBeanFactory beans;

    DoorCheck(HttpProperties properties, boolean onServlets, BooleanSupplier onSpringMvc, ListableBeanFactory beans) {
        this.properties = properties;
        this.onServlets = onServlets;
        this.onSpringMvc = onSpringMvc;
        this.beans = beans;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (!onServlets) {
            throw new HttpDoorException(
                    opened()
                            + ", but this application is none that serves HTTP by servlets, which is what the doors of the"
                            + " delay queue need.",
                    "Add spring-boot-starter-webmvc (and remove spring-boot-starter-webflux), or remove the property.");
        }
        if (!properties.tokens().given() && !properties.unsecured() && !beans.containsBean(SPRING_SECURITY)) {
            throw new HttpDoorException(
                    opened()
                            + ", but nothing says who may come in: there is no Spring Security, and there are no tokens.",
                    "Set delayqueue.http.tokens.produce, delayqueue.http.tokens.consume or delayqueue.http.tokens.admin, add"
                            + " Spring Security, or let everybody in who reaches the port with"
                            + " delayqueue.http.unsecured=true.");
        }
        if (properties.api().enabled() && !onSpringMvc.getAsBoolean()) {
            throw new HttpDoorException(
                    "delayqueue.http.api.enabled is true, but this application has no Spring MVC, which serves that"
                            + " interface.",
                    "Add spring-boot-starter-webmvc, or remove the property.");
        }
    }

    private String opened() {
        List<String> opened = new ArrayList<>();
        if (properties.compat().enabled()) {
            opened.add("delayqueue.http.compat.enabled");
        }
        if (properties.api().enabled()) {
            opened.add("delayqueue.http.api.enabled");
        }
        return String.join(" and ", opened) + (opened.size() == 1 ? " is true" : " are true");
    }
}
