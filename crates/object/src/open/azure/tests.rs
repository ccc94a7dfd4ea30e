use super::*;

/// It opens nothing.
const KEY: &str = "aHVzaA==";

fn open(place: &str, variables: &[(&str, &str)]) -> Result<(Clients, Options), Error> {
    let mut options = Options::default();
    let clients = clients(&Url::read(place).unwrap(), &owned(variables), &mut options)?;
    Ok((clients, options))
}

fn owned(variables: &[(&str, &str)]) -> Vec<(String, String)> {
    variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn options_and_variables_reach_the_client() {
    let place = "az://c/p?endpoint=http://localhost:1/acct&allow_http=true&client_id=an-id";
    let variables = [
        ("AZURE_STORAGE_ACCOUNT_NAME", "acct"),
        ("AZURE_STORAGE_ACCESS_KEY", KEY),
        ("AZURE_CONTAINER_NAME", "other"),
        ("IDENTITY_ENDPOINT", "http://msi"),
    ];
    let url = Url::read(place).unwrap();
    let settings = settings(&url, &owned(&variables), &mut Options::default()).unwrap();
    let said = |key| settings.of(&key).map(|(_, value)| value);
    assert_eq!(said(Key::AccountName), Some("acct"));
    assert_eq!(said(Key::AccessKey), Some(KEY));
    assert_eq!(said(Key::Endpoint), Some("http://localhost:1/acct"));
    assert_eq!(said(Key::ClientId), Some("an-id"));
    assert_eq!(said(Key::MsiEndpoint), Some("http://msi"));
    assert_eq!(said(Key::ContainerName), None, "the place says it");
    let (clients, _) = open(place, &variables).unwrap();
    assert!(clients.reads.to_string().contains("account: acct, container: c"), "{}", clients.reads);
}

#[test]
fn the_account_is_named_by_the_place_or_by_the_environment() {
    let key = ("AZURE_STORAGE_ACCOUNT_KEY", KEY);
    let named = [key, ("AZURE_STORAGE_ACCOUNT_NAME", "env")];
    for (place, variables, account) in [
        ("az://c", &named[..], "env"),
        ("az://c?account=here", &named[..], "here"),
        ("az://c?account_name=here", &[key], "here"),
        ("abfss://c@host.dfs.core.windows.net/p", &named[..], "host"),
        ("az://c?use_emulator=true", &[], "devstoreaccount1"),
    ] {
        let (clients, _) = open(place, variables).unwrap();
        let told = clients.writes.to_string();
        assert!(told.contains(&format!("account: {account}, ")), "{place}: {told}");
    }
    let error = open("az://c", &[key]).unwrap_err();
    assert!(error.clause().contains("storage account"), "{error}");
}

#[test]
fn what_does_not_fit_is_named_and_no_value_is_repeated() {
    let broken = [("AZURE_STORAGE_ACCOUNT_KEY", "hush, no base64")];
    for (place, variables, named) in [
        ("az://c?account=a", &broken[..], "AZURE_STORAGE_ACCOUNT_KEY"),
        ("az://c?account=a&sas_token=hush", &[], "`sas_token`"),
        ("az://c?account=a&account_key=hush", &[], "`account_key`"),
        ("az://c?account=a&access_key=hush", &[], "`access_key`"),
        ("az://c?account=a&client_secret=hush", &[], "`client_secret`"),
        ("az://c?account=a&container_name=hush", &[], "`container_name` is no option"),
        ("az://c?account=a&credential_type=hush", &[], "`credential_type`"),
        ("az://c?account=a&region=hush", &[], "`region` is no option of az:"),
        ("az://c?account=a&endpoint=http://hush", &[], "`endpoint` names a server"),
    ] {
        let error = open(place, variables).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidPlace, "{place}");
        assert!(error.clause().contains(named), "{place}: {error}");
        let all = format!("{error}{error:?}{}", error.hint().unwrap());
        assert!(!all.contains("hush"), "{place}: {all}");
    }
}
