// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** Rules over what a module's {@code pom.xml} depends on. A dependency that no class uses yet is still an edge. */
final class PomRules {

    private static final Set<String> NOT_AT_RUN_TIME = Set.of("test", "provided");

    private PomRules() {}

    /** Dependencies of {@code pom} at run time that {@code module} may not have. */
    static List<String> forbidden(Module module, Path pom) {
        boolean engine = module.folder().startsWith("engine/");
        List<String> forbidden = new ArrayList<>();
        for (Dependency dependency : dependencies(pom)) {
            boolean ours = dependency.group.equals("io.millrace");
            boolean allowed = ours ? module.artifactsItMayKnow().contains(dependency.artifact) : !engine;
            if (!NOT_AT_RUN_TIME.contains(dependency.scope) && !allowed) {
                forbidden.add(dependency.group + ":" + dependency.artifact);
            }
        }
        return forbidden;
    }

    private static List<Dependency> dependencies(Path pom) {
        try (InputStream in = Files.newInputStream(pom)) {
            Element project = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(in)
                    .getDocumentElement();
            return children(project, "dependencies").stream()
                    .flatMap(list -> children(list, "dependency").stream())
                    .map(element -> new Dependency(
                            text(element, "groupId"), text(element, "artifactId"), text(element, "scope")))
                    .toList();
        } catch (IOException | SAXException | ParserConfigurationException e) {
            throw new IllegalStateException("the build file cannot be read: " + pom, e);
        }
    }

    private static String text(Element parent, String name) {
        return children(parent, name).stream()
                .map(Element::getTextContent)
                .findFirst()
                .orElse("");
    }

    private static List<Element> children(Element parent, String name) {
        NodeList nodes = parent.getChildNodes();
        return IntStream.range(0, nodes.getLength())
                .mapToObj(nodes::item)
                .filter(node -> node.getNodeName().equals(name))
                .map(Element.class::cast)
                .toList();
    }

    private record Dependency(String group, String artifact, String scope) {}
}
