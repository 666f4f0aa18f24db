package io.delayqueue.annotation;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.util.ClassUtils;

/**
 * Registers for native images the interface methods through which a JDK proxy of a listener bean is called. Spring
 * registers the annotated methods themselves.
 */
final class ProxiedListenerHints implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = bean.getBeanClass();
        List<Method> methods = DelayListenerAnnotationBeanPostProcessor.listenerMethods(type).stream()
                .flatMap(method -> ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                        .map(any -> ClassUtils.getMethodIfAvailable(any, method.getName(), method.getParameterTypes())))
                .filter(Objects::nonNull)
                .toList();
        return methods.isEmpty()
                ? null
                : (generation, code) -> methods.forEach(method ->
                        generation.getRuntimeHints().reflection().registerMethod(method, ExecutableMode.INVOKE));
    }
}
