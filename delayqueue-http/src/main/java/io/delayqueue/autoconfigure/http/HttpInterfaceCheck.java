package io.delayqueue.autoconfigure.http;

import io.delayqueue.autoconfigure.failure.StartFailedException;
import io.delayqueue.autoconfigure.property.HttpProperties;
import io.delayqueue.management.guard.Permission;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Fails the startup if an enabled HTTP interface cannot be served or has no access control. */
final class HttpInterfaceCheck implements SmartInitializingSingleton {

    /** Bean name of Spring Security's filter chain. */
    private static final String SPRING_SECURITY = "springSecurityFilterChain";

    private static final String AUTHORITIES =
            Stream.of(Permission.values()).map(Permission::authority).collect(Collectors.joining(", "));

    private static final Log log = LogFactory.getLog(HttpInterfaceCheck.class);

    private final HttpProperties properties;
    private final boolean onServlets;
    private final BooleanSupplier onSpringMvc;
    private final ListableBeanFactory beans;

    HttpInterfaceCheck(
            HttpProperties properties, boolean onServlets, BooleanSupplier onSpringMvc, ListableBeanFactory beans) {
        this.properties = properties;
        this.onServlets = onServlets;
        this.onSpringMvc = onSpringMvc;
        this.beans = beans;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (!onServlets) {
            throw new StartFailedException(
                    enabled() + ", but this application does not serve HTTP by servlets, which the interface requires.",
                    "Add spring-boot-starter-webmvc (and remove spring-boot-starter-webflux), or remove the property.");
        }
        if (properties.clients().isEmpty() && !properties.unsecured() && !beans.containsBean(SPRING_SECURITY)) {
            throw new StartFailedException(
                    enabled() + ", but access is not controlled: there are no clients and no Spring Security.",
                    "Set delayqueue.http.clients.<name>.tokens and .permissions, or"
                            + " add Spring Security and grant clients the authorities " + AUTHORITIES
                            + ". To authorize every client that reaches the port, set delayqueue.http.unsecured=true.");
        }
        if (properties.api().enabled() && !onSpringMvc.getAsBoolean()) {
            throw new StartFailedException(
                    "delayqueue.http.api.enabled is true, but this application has no Spring MVC, which the interface"
                            + " requires.",
                    "Add spring-boot-starter-webmvc, or remove the property.");
        }
        if (properties.clients().isEmpty() && !properties.unsecured()) {
            log.info(enabled()
                    + " without delayqueue.http.clients: Spring Security authenticates clients, which need the"
                    + " authorities " + AUTHORITIES + ".");
        }
    }

    private String enabled() {
        List<String> enabled = new ArrayList<>();
        if (properties.compat().enabled()) {
            enabled.add("delayqueue.http.compat.enabled");
        }
        if (properties.api().enabled()) {
            enabled.add("delayqueue.http.api.enabled");
        }
        return String.join(" and ", enabled) + (enabled.size() == 1 ? " is true" : " are true");
    }
}
