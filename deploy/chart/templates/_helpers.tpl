{{- define "dealbox.name" -}}
{{- if contains "dealbox" .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-dealbox" .Release.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}
{{- define "dealbox.selector" -}}
app.kubernetes.io/name: dealbox
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "dealbox.labels" -}}
{{ include "dealbox.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}
{{- define "dealbox.publicUrl" -}}
{{- if .Values.publicUrl }}{{ .Values.publicUrl }}{{ else if gt (len .Values.hosts) 1 }}https://{{ index .Values.hosts 1 }}{{ .Values.basePath | trimSuffix "/" }}{{ end }}
{{- end }}
