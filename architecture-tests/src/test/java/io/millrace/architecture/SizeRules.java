// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Lengths of Java files and of methods below a folder. */
final class SizeRules {

    static final int MAX_MEDIAN_FILE_LINES = 120;
    static final int MAX_FILE_LINES = 400;
    static final int MAX_METHOD_LINES = 40;

    private SizeRules() {}

    /**
     * The sizes of one folder.
     *
     * @param median median of the numbers of lines of the files
     * @param files number of lines of each file
     * @param methods number of lines of each method that is longer than {@link #MAX_METHOD_LINES}
     */
    record Sizes(int median, Map<String, Integer> files, Map<String, Integer> methods) {

        /** The files that are longer than {@link #MAX_FILE_LINES}. */
        List<String> longFiles() {
            return files.entrySet().stream()
                    .filter(file -> file.getValue() > MAX_FILE_LINES)
                    .map(file -> file.getKey() + ": " + file.getValue() + " lines")
                    .toList();
        }

        List<String> longMethods() {
            return methods.entrySet().stream()
                    .map(method -> method.getKey() + ": " + method.getValue() + " lines")
                    .toList();
        }

        /** A row of the size table. */
        String row(String name) {
            int longest =
                    files.values().stream().mapToInt(Integer::intValue).max().orElse(0);
            int lines = files.values().stream().mapToInt(Integer::intValue).sum();
            return "%-30s %5s files %7s lines, median %4s, longest %4s"
                    .formatted(name, files.size(), lines, median, longest);
        }
    }

    static Sizes of(Path folder) throws IOException {
        List<Path> sources;
        try (Stream<Path> files = Files.walk(folder)) {
            sources = files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("package-info.java") && !file.endsWith("module-info.java"))
                    .sorted()
                    .toList();
        }
        Map<String, Integer> files = new TreeMap<>();
        for (Path source : sources) {
            try (Stream<String> lines = Files.lines(source)) {
                files.put(folder.relativize(source).toString(), (int) lines.count());
            }
        }
        List<Integer> sorted = files.values().stream().sorted().toList();
        int median = sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
        return new Sizes(median, files, longMethods(folder, sources));
    }

    private static Map<String, Integer> longMethods(Path folder, List<Path> sources) throws IOException {
        Map<String, Integer> methods = new TreeMap<>();
        if (sources.isEmpty()) {
            return methods;
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null,
                    files,
                    null,
                    List.of("-proc:none"),
                    null,
                    files.getJavaFileObjectsFromPaths(new ArrayList<>(sources)));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                new TreeScanner<Void, Void>() {
                    @Override
                    public Void visitMethod(MethodTree method, Void unused) {
                        LineMap lines = unit.getLineMap();
                        long first = lines.getLineNumber(positions.getStartPosition(unit, method));
                        long last = lines.getLineNumber(positions.getEndPosition(unit, method));
                        int length = (int) (last - first + 1);
                        if (length > MAX_METHOD_LINES) {
                            Path file = Path.of(unit.getSourceFile().toUri());
                            methods.put(folder.relativize(file) + "#" + method.getName(), length);
                        }
                        return super.visitMethod(method, null);
                    }
                }.scan(unit, null);
            }
        }
        return methods;
    }
}
