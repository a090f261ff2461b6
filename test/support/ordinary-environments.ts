/** What platforms put into the environment of a process, as recorded: no name of it may be taken for a misspelt setting. */
import { SLICES, listVariables } from '../../src/settings/settings';

/** From lines as the program `env` prints them. */
const environment = (lines: string) =>
  Object.fromEntries(
    lines
      .trim()
      .split(/\n */)
      .map((line) => line.split(/=(.*)/)),
  ) as Record<string, string>;

const SHELL = environment(`
  SHELL=/bin/bash
  PWD=/srv/images
  OLDPWD=/srv
  HOME=/home/ada
  SHLVL=1
  _=/usr/bin/env
  USER=ada
  LOGNAME=ada
  HOSTNAME=web-1
  HOSTTYPE=x86_64
  OSTYPE=linux-gnu
  MACHTYPE=x86_64
  LANG=C.UTF-8
  LANGUAGE=en
  LC_ALL=C.UTF-8
  TERM=xterm-256color
  COLORTERM=truecolor
  LS_COLORS=rs=0:di=01;34
  LESSOPEN=| /usr/bin/lesspipe %s
  LESSCLOSE=/usr/bin/lesspipe %s %s
  PAGER=less
  EDITOR=vi
  VISUAL=vi
  MAIL=/var/mail/ada
  HISTCONTROL=ignoreboth
  TZ=UTC
  SSH_CLIENT=192.0.2.7 5022 22
  SSH_TTY=/dev/pts/0
  SSH_AUTH_SOCK=/tmp/ssh-1/agent.1
  XDG_SESSION_ID=3
  XDG_RUNTIME_DIR=/run/user/1000
  XDG_DATA_DIRS=/usr/share
  DISPLAY=:0
  DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus
  XAUTHORITY=/home/ada/.Xauthority
  DEBUGINFOD_URLS=https://debuginfod.debian.net
  GPG_TTY=/dev/pts/0
  WINDOWID=4
  http_proxy=http://192.0.2.8:3128
  HTTPS_PROXY=http://192.0.2.8:3128
  NO_PROXY=localhost
  no_proxy=
  debian_chroot=
  COLUMNS=120
  LINES=40
  NVM_DIR=/home/ada/.nvm
  NVM_BIN=/home/ada/.nvm/bin
`);

const NPM = environment(`
  npm_command=run-script
  npm_lifecycle_event=serve
  npm_lifecycle_script=node server.js
  INIT_CWD=/srv
  npm_node_execpath=/usr/bin/node
  npm_execpath=/usr/lib/npm/bin/npm-cli.js
  NODE=/usr/bin/node
  npm_package_name=images
  npm_package_version=1.0.0
  npm_package_json=/srv/package.json
  npm_config_cache=/home/ada/.npm
  npm_config_loglevel=notice
  npm_config_user_agent=npm/10.8.2
  npm_config_registry=https://registry.npmjs.org/
  npm_config_noproxy=
  npm_config_prefix=/usr
  npm_config_globalconfig=/usr/etc/npmrc
  npm_config_userconfig=/home/ada/.npmrc
  npm_config_yes=
  npm_config_port=3000
  npm_config_host=::1
  npm_config_workers=2
  npm_config_node_gyp=/usr/gyp.js
  EDITOR=vi
  COLOR=0
  NODE_ENV=production
  NODE_OPTIONS=--max-old-space-size=512
  NODE_VERSION=20.1.0
  NODE_EXTRA_CA_CERTS=
  NO_UPDATE_NOTIFIER=1
  YARN_VERSION=1.22.22
  COREPACK_ROOT=/usr/lib/corepack
`);

const CONTAINER = {
  PATH: process.env['PATH'],
  ...environment(`
  HOSTNAME=3f2c9a7b1d40
  container=podman
  DOCKER_HOST=tcp://docker:2376
  REDIS_PORT=tcp://172.17.0.2:6379
  REDIS_PORT_6379_TCP=tcp://172.17.0.2:6379
  REDIS_NAME=/ics/redis
  REDIS_PORT_6379_TCP_PROTO=tcp
  REDIS_ENV_REDIS_VERSION=7.2
  DATABASE_NAME=/ics/database
  `),
  // Marathon; then Cloud Run, Heroku, Amazon ECS and Nomad.
  ...environment(`
  PORTS=31000,31001
  PORT0=31000
  PORT1=31001
  PORT_3000=31000
  MARATHON_APP_ID=/ics
  K_SERVICE=ics
  K_REVISION=ics-00001
  K_CONFIGURATION=ics
  DYNO=web.1
  WEB_CONCURRENCY=2
  ECS_CONTAINER_METADATA_URI_V4=http://169.254.170.2/v4/1
  AWS_REGION=eu-north-1
  AWS_EXECUTION_ENV=ECS
  NOMAD_PORT_http=21000
  NOMAD_HOST_PORT_http=21000
  NOMAD_ADDR_http=192.0.2.1:21000
  `),
};

/** As kubelet does for each service of the namespace. */
function serviceLinks(service: string) {
  const name = service.toUpperCase().replaceAll('-', '_');
  const link = 'tcp://10.96.11.7:80';
  return {
    [`${name}_SERVICE_HOST`]: '10.96.11.7',
    [`${name}_SERVICE_PORT`]: '80',
    [`${name}_SERVICE_PORT_HTTP`]: '80',
    [`${name}_PORT`]: link,
    [`${name}_PORT_80_TCP`]: link,
    [`${name}_PORT_80_TCP_PROTO`]: 'tcp',
    [`${name}_PORT_80_TCP_PORT`]: '80',
    [`${name}_PORT_80_TCP_ADDR`]: '10.96.11.7',
  };
}

/** Services named like settings, also in the singular and by their first word. */
const SERVICES = Object.keys(listVariables(SLICES)).flatMap((name) => {
  const service = name.toLowerCase().replaceAll('_', '-');
  const [first] = service.split('-');
  return [service, service.replace(/s\b/g, ''), first, first.replace(/s$/, '')];
});

const KUBERNETES = Object.assign(
  {
    POD_NAME: 'ics-7d9f',
    POD_NAMESPACE: 'web',
    POD_IP: '10.244.0.9',
    NODE_NAME: 'worker-2',
    HOST_IP: '192.0.2.2',
  },
  ...['kubernetes', 'image-compression', 'port', 'ports', ...SERVICES].map(serviceLinks),
) as Record<string, string>;

const SYSTEMD = environment(`
  INVOCATION_ID=b1946ac92492d2347c6235b4d2611184
  JOURNAL_STREAM=8:21345
  SYSTEMD_EXEC_PID=812
  NOTIFY_SOCKET=/run/systemd/notify
  WATCHDOG_USEC=30000000
  WATCHDOG_PID=812
  MAINPID=812
  LISTEN_PID=812
  LISTEN_FDS=1
  LISTEN_FDNAMES=ics.socket
  CREDENTIALS_DIRECTORY=/run/credentials/ics
  STATE_DIRECTORY=/var/lib/ics
  LOGS_DIRECTORY=/var/log/ics
  RUNTIME_DIRECTORY=/run/ics
  CACHE_DIRECTORY=/var/cache/ics
  CONFIGURATION_DIRECTORY=/etc/ics
  MEMORY_PRESSURE_WATCH=/sys/fs/cgroup
`);

const GITHUB_ACTIONS = environment(`
  CI=true
  GITHUB_ACTIONS=true
  GITHUB_WORKSPACE=/home/runner/a
  GITHUB_ACTOR=ada
  GITHUB_API_URL=https://api.github.com
  GITHUB_SERVER_URL=https://github.com
  GITHUB_REF=refs/heads/main
  GITHUB_ENV=/home/runner/env
  GITHUB_OUTPUT=/home/runner/output
  GITHUB_STEP_SUMMARY=/home/runner/summary
  RUNNER_OS=Linux
  RUNNER_ARCH=X64
  RUNNER_TEMP=/home/runner/temp
  RUNNER_WORKSPACE=/home/runner/a
  RUNNER_TOOL_CACHE=/opt/hostedtoolcache
  AGENT_TOOLSDIRECTORY=/opt/hostedtoolcache
  ImageOS=ubuntu24
  ImageVersion=20261101.1
  ACTIONS_RUNNER_ACTION_ARCHIVE_CACHE=/opt/cache
  DEPLOYMENT_BASEPATH=/opt/runner
  INPUT_QUALITY=high
  INPUT_FORMAT=same
  PERFLOG_LOCATION_SETTING=RUNNER_PERFLOG
  USE_BAZEL_FALLBACK=1
  JAVA_HOME_21_X64=/usr/lib/jvm
  CHROMEWEBDRIVER=/usr/local/share/chromedriver
  HOMEBREW_NO_AUTO_UPDATE=1
  SELENIUM_JAR_PATH=/usr/share/java/selenium.jar
  POWERSHELL_DISTRIBUTION_CHANNEL=GitHub
  SGX_AESM_ADDR=1
`);

export const ORDINARY_ENVIRONMENTS: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  'bash on Debian': SHELL,
  'npm run': { ...SHELL, ...NPM },
  containers: CONTAINER,
  Kubernetes: KUBERNETES,
  systemd: SYSTEMD,
  'GitHub Actions': { ...SHELL, ...GITHUB_ACTIONS },
};
