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

/** Rules for the dependencies in a module's {@code pom.xml}. A declared dependency counts even if no class uses it. */
final class PomRules {

    private static final Set<String> BUILD_SCOPES = Set.of("test", "provided");

    /** The application or the cluster brings these libraries, so no module has these libraries at run time. */
    private static final String SPARK = "org.apache.spark";

    private PomRules() {}

    /** Returns the run-time dependencies in {@code pom} that are not allowed for {@code module}. */
    static List<String> forbidden(Module module, Path pom) {
        boolean engine = module.folder().startsWith("engine/");
        List<String> forbidden = new ArrayList<>();
        for (Dependency dependency : dependencies(pom)) {
            boolean internal = dependency.group.equals("io.millrace");
            boolean allowed = internal
                    ? module.allowedArtifacts().contains(dependency.artifact)
                    : !engine && !dependency.group.equals(SPARK);
            if (!BUILD_SCOPES.contains(dependency.scope) && !allowed) {
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
