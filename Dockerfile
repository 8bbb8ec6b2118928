# An image of the executable alone: "npm run build", then "docker build --tag dealbox .". docs/install.md says more.
FROM debian:13-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends libatomic1 \
  && rm -rf /var/lib/apt/lists/* \
  && groupadd --gid 10001 dealbox \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin dealbox \
  && install --directory --owner=dealbox --group=dealbox --mode=700 /data
COPY --chmod=755 dist/dealbox /usr/local/bin/dealbox
USER dealbox
# Inside of the container on all addresses; "docker run --publish" says who reaches them.
ENV DEALBOX_DATA=/data DEALBOX_API_LISTEN=0.0.0.0:8080 DEALBOX_SCREENS_LISTEN=0.0.0.0:8081
WORKDIR /data
VOLUME /data
EXPOSE 8080 8081
HEALTHCHECK --interval=30s --timeout=10s --start-period=2m CMD ["dealbox", "healthcheck"]
ENTRYPOINT ["dealbox"]
CMD ["serve"]
