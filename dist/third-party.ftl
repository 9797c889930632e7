<#-- The list of the libraries in an archive, with their licences. -->
Libraries in this archive, and their licences.

The text of a licence is licenses/<licence>.txt, or is in the folder licenses/<group>.<artifact> of the library. This
folder also has the notices of the library. If a library has several licences, Millrace uses one whose text is in this
archive.

<#list dependencyMap as entry>
<#assign project = entry.getKey()/>
${project.groupId}:${project.artifactId}:${project.version}
    ${entry.getValue()?join(", ")}<#if project.url??>
    ${project.url}</#if>

</#list>
