package io.delayqueue.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The place of a listener's declaration, for error messages. */
record Origin(String beanName, String method) {

    static Origin of(String beanName, Class<?> type, Method method) {
        String parameters = Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", "));
        return new Origin(beanName, type.getName() + "." + method.getName() + "(" + parameters + ")");
    }

    InvalidListenerException invalid(String problem, String fix) {
        return invalid(problem, fix, null);
    }

    InvalidListenerException invalid(String problem, String fix, @Nullable Throwable cause) {
        return new InvalidListenerException(beanName, method, problem, fix, cause);
    }

    /** Describes the place within a sentence. */
    String describe() {
        return method.isEmpty() ? "code" : "bean '" + beanName + "' (" + method + ")";
    }
}
