package io.delayqueue.autoconfigure.aot;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringApplicationRunListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.javapoet.ClassName;

/** Processes an application as Spring Boot's {@code process-aot} does. */
final class AheadOfTime {

    private AheadOfTime() {}

    /** The hints for a native image of an application. */
    static RuntimeHints hintsOf(Class<?> application, String... arguments) {
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(application)), new InMemoryGeneratedFiles());
        new ApplicationContextAotGenerator().processAheadOfTime(loaded(application, arguments), generation);
        return generation.getRuntimeHints();
    }

    /** The context with its bean definitions, before it creates beans. */
    private static GenericApplicationContext loaded(Class<?> application, String... arguments) {
        try {
            SpringApplication.withHook(any -> new Abandon(), () -> SpringApplication.run(application, arguments));
        } catch (SpringApplication.AbandonedRunException e) {
            return (GenericApplicationContext) e.getApplicationContext();
        }
        throw new IllegalStateException("The application was started");
    }

    private static final class Abandon implements SpringApplicationRunListener {

        @Override
        public void contextLoaded(ConfigurableApplicationContext context) {
            throw new SpringApplication.AbandonedRunException(context);
        }
    }
}
