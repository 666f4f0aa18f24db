package io.delayqueue.autoconfigure.aot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** A native image has all that the queue reads by reflection or as a resource. */
class NativeImageTests {

    private static final JavaClasses PRODUCT = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("delayqueue-test-"))
            .withImportOption(location -> !location.contains("delayqueue-spring-boot-starter-test"))
            .importPackages("io.delayqueue");

    private static final RuntimeHints HINTS = AheadOfTime.hintsOf(
            AotApplication.class,
            "--spring.main.banner-mode=off",
            "--delayqueue.http.api.enabled=true",
            "--delayqueue.http.compat.enabled=true",
            "--delayqueue.http.unsecured=true",
            "--management.endpoints.web.exposure.include=*",
            "--management.endpoint.delayqueue.access=unrestricted");

    @Test
    void eachResourceIsRegistered() throws IOException {
        List<String> resources = Stream.of(
                        new PathMatchingResourcePatternResolver().getResources("classpath*:io/delayqueue/**/*.*"))
                .map(Object::toString)
                .filter(name -> !name.contains("/test-classes/") && !name.contains("delayqueue-test-"))
                .map(name -> name.substring(name.lastIndexOf("io/delayqueue/"), name.lastIndexOf(']')))
                .filter(name -> !name.endsWith(".class"))
                .toList();

        assertThat(resources)
                .anyMatch(name -> name.endsWith(".lua"))
                .anyMatch(name -> name.endsWith(".js"))
                .anyMatch(name -> name.endsWith("openapi.json"))
                .allMatch(name ->
                        RuntimeHintsPredicates.resource().forResource(name).test(HINTS));
    }

    @Test
    void eachBodyCanBeBound() {
        assertThat(unbindable(bodies())).isEmpty();
    }

    /**
     * The records that Jackson reads from requests and writes to responses. The fields of a payload are copied to its
     * response.
     */
    private static List<Class<?>> bodies() {
        List<Class<?>> bodies = PRODUCT.stream()
                .filter(JavaClass::isRecord)
                .filter(type -> type.getPackageName()
                        .matches("io\\.delayqueue\\.(web\\.api\\.(request|response)|management|actuate)"))
                // records, but no bodies: QueueViews and QueueActions
                .filter(type -> !type.getName().startsWith("io.delayqueue.actuate.Queue"))
                .<Class<?>>map(JavaClass::reflect)
                .toList();
        Set<Class<?>> withParts = new LinkedHashSet<>();
        bodies.forEach(type -> collectRecords(ResolvableType.forClass(type), withParts));
        withParts.removeIf(type -> type.getSimpleName().equals("Payload"));
        assertThat(withParts).hasSizeGreaterThan(40);
        return List.copyOf(withParts);
    }

    @Test
    void eachGroupOfPropertiesCanBeBound() {
        Set<Class<?>> records = new LinkedHashSet<>();
        PRODUCT.stream()
                .filter(type -> type.isAnnotatedWith(ConfigurationProperties.class))
                .map(type -> ResolvableType.forClass(type.reflect()))
                .forEach(type -> collectRecords(type, records));

        assertThat(records).hasSizeGreaterThan(15);
        assertThat(records.stream().map(NativeImageTests::canonical))
                .allMatch(each -> reflection().onConstructorInvocation(each).test(HINTS));
    }

    /** Of a bean that has a JDK proxy, the methods of its interfaces are called. */
    @Test
    void eachListenerMethodCanBeCalled() {
        assertThat(Stream.of(AotApplication.Listeners.class, AotApplication.Inherits.class, AotApplication.Plain.class)
                        .flatMap(type -> Arrays.stream(type.getDeclaredMethods())))
                .hasSize(12)
                .allMatch(each -> reflection().onMethodInvocation(each).test(HINTS));
    }

    @Test
    void eachPayloadOfAListenerCanBeBound() {
        List<Class<?>> payloads = Arrays.stream(AotApplication.class.getDeclaredClasses())
                .filter(Class::isRecord)
                .toList();

        assertThat(payloads).hasSize(11);
        assertThat(unbindable(payloads)).isEmpty();
    }

    /**
     * Each of these classes has its hints and their tests: {@code KnownProperties} reads the records of properties. A
     * class that is added here needs hints, too.
     */
    @Test
    void onlyTheseClassesUseReflectionAndResources() {
        assertThat(PRODUCT.stream()
                        .filter(type -> type.getCodeUnitCallsFromSelf().stream().anyMatch(NativeImageTests::needsHints))
                        .map(JavaClass::getSimpleName))
                .containsExactlyInAnyOrder(
                        "ConnectionFactoryChoice",
                        "DashboardFiles",
                        "DocumentController",
                        "IncomingBody",
                        "KnownProperties",
                        "LettuceClient",
                        "ListenerMethod",
                        "LuaScript",
                        "OnServlets", // of DelayQueueHttpAutoConfiguration
                        "OptionalModules",
                        "Principals",
                        "ProxiedListenerHints",
                        "RabbitConnection",
                        "ReactorThreads");
    }

    private static boolean needsHints(JavaCall<?> call) {
        String owner = call.getTargetOwner().getName();
        String name = call.getName();
        return switch (owner) {
            case "java.lang.Class" ->
                name.equals("forName") || name.matches("get.*(Field|Method|Constructor|Resource|RecordComponent).*");
            case "java.lang.ClassLoader",
                    "java.lang.reflect.Proxy",
                    "java.util.ServiceLoader",
                    "org.springframework.aop.framework.ProxyFactory",
                    "org.springframework.beans.BeanUtils",
                    "org.springframework.beans.BeanWrapperImpl",
                    "org.springframework.beans.DirectFieldAccessor",
                    "org.springframework.core.io.ClassPathResource" -> true;
            case "java.lang.reflect.Constructor" -> name.equals("newInstance");
            case "java.lang.reflect.Field" -> name.matches("(get|set).*");
            case "java.lang.reflect.Method" -> name.equals("invoke");
            case "org.springframework.util.ClassUtils" ->
                name.matches("isPresent|forName|resolveClassName|getMethod.*|getConstructor.*");
            case "org.springframework.util.ReflectionUtils" -> !name.matches("(rethrow|handle).*|makeAccessible");
            default -> false;
        };
    }

    /** The constructors and accessors that Jackson cannot call. */
    private static List<Executable> unbindable(List<Class<?>> records) {
        return records.stream()
                .flatMap(type -> Stream.concat(
                        Stream.of(canonical(type)),
                        Arrays.stream(type.getRecordComponents()).map(RecordComponent::getAccessor)))
                .filter(each -> each instanceof Method method
                        ? reflection().onMethodInvocation(method).negate().test(HINTS)
                        : reflection()
                                .onConstructorInvocation((Constructor<?>) each)
                                .negate()
                                .test(HINTS))
                .toList();
    }

    private static Constructor<?> canonical(Class<?> type) {
        try {
            return type.getDeclaredConstructor(Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void collectRecords(ResolvableType type, Set<Class<?>> found) {
        Class<?> raw = type.resolve(Object.class);
        if (raw.isRecord() && found.add(raw)) {
            for (RecordComponent component : raw.getRecordComponents()) {
                collectRecords(ResolvableType.forType(component.getGenericType()), found);
            }
        }
        for (ResolvableType generic : type.getGenerics()) {
            collectRecords(generic, found);
        }
    }
}
