// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/**
 * Loads the classes under test again and weaves them: it inserts schedule points. For all other classes it returns the
 * classes that the rest of the JVM uses.
 */
final class WeavingLoader extends ClassLoader {

    /** Name of this class loader. Stack frames of woven code contain it. */
    static final String NAME = "interleave";

    private static final String TOOL = WeavingLoader.class.getPackageName() + ".";

    private final List<String> packages;
    private final String scenario;
    private final String home;
    private final boolean plainAccess;
    private final FieldModifiers fieldModifiers =
            new FieldModifiers(type -> isWoven(type.replace('/', '.')) ? file(type) : Optional.empty());

    /**
     * @param scenario class of the scenario. The loader weaves all classes of its package, with one exception: if the
     *     scenario is in the package of this loader, only the scenario and its nested classes are woven
     */
    WeavingLoader(Class<?> scenario, SchedulePlan schedulePlan) {
        super(NAME, scenario.getClassLoader());
        this.packages = schedulePlan.packages();
        this.home = scenario.getPackageName() + ".";
        this.scenario = outermost(scenario.getName());
        this.plainAccess = schedulePlan.plainAccess();
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!isWoven(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? weave(name) : loaded;
        }
    }

    private Class<?> weave(String name) throws ClassNotFoundException {
        byte[] original = file(name.replace('.', '/')).orElseThrow(() -> new ClassNotFoundException(name));
        byte[] woven = Weaver.weave(original, fieldModifiers, plainAccess);
        return defineClass(name, woven, 0, woven.length);
    }

    private boolean isWoven(String name) {
        if (outermost(name).equals(scenario)) {
            return true;
        }
        boolean asked = name.startsWith(home) || packages.stream().anyMatch(prefix -> name.startsWith(prefix + "."));
        return asked && !name.startsWith(TOOL);
    }

    private Optional<byte[]> file(String type) {
        try (InputStream in = getParent().getResourceAsStream(type + ".class")) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String outermost(String name) {
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }
}
